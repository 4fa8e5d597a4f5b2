"""`python -m rankscale`: the command line."""

from rankscale.cli import main

if __name__ == "__main__":
    main()
