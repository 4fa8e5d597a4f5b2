"""`python -m tests.fuzz.worker SEED START STOP` prints each number before it is tried, and after it what was found."""

import sys

from tests.fuzz.agreement import disagreement
from tests.fuzz.inputs import case


def main(seed: int, start: int, stop: int) -> None:
    for number in range(start, stop):
        print(number, flush=True)
        found = disagreement(case(seed, number))
        if found is not None:
            print(f"! {found.encode('ascii', 'backslashreplace').decode()!r}", flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
