"""Published tables, printed beside what rankscale gives on the same files: `python -m reproduction`."""
