"""`python -m tests.fuzz`: a hundred thousand inputs; ends with 1 where the readers disagree on any."""

import argparse
import sys
import time

from tests.fuzz.agreement import disagreement
from tests.fuzz.campaign import campaign
from tests.fuzz.inputs import case

BATCH = 2_000
SHOWN = 300  # bytes of an input


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=100_000, help="how many inputs; 1 shows the input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    asked = parser.parse_args()
    if asked.count == 1:
        return _shown(asked.seed, asked.start)
    began, troubles, end = time.monotonic(), 0, asked.start + asked.count
    for start in range(asked.start, end, BATCH):
        for trouble in campaign(asked.seed, start, min(BATCH, end - start)):
            troubles += 1
            print(trouble, flush=True)
    print(f"{asked.count} inputs from seed {asked.seed}, {troubles} troubles, {time.monotonic() - began:.0f} s")
    return 1 if troubles else 0


def _shown(seed: int, number: int) -> int:
    """One input in this process, so that a debugger sees it."""
    one = case(seed, number)
    for what, data in (("qrels", one.qrels), ("run", one.run)):
        print(f"{what}, {len(data)} bytes: {data[:SHOWN]!r}{' ...' if len(data) > SHOWN else ''}")
    print(f"read from {one.way}, order {one.order}, depth {one.depth}")
    found = disagreement(one)
    print(found or "both readers agree")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
