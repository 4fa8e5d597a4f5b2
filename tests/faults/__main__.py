"""Faults on purpose: `python -m tests.faults PART COUNT ...`, and what they must not do.

Parts: kills, writes, memory, signals, inputs, streams (0: all); and executors, which has options of its own. The seed
makes the same choices again; times depend on the machine. Exit code 1 if anything went wrong.
"""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.faults import executors
from tests.faults.cases import Case, cases, write_inputs
from tests.faults.inputs import inputs
from tests.faults.judging import Bench
from tests.faults.kills import kills
from tests.faults.memory import memory
from tests.faults.signals import signals
from tests.faults.streams import streams
from tests.faults.warm import Warm
from tests.faults.writes import writes

PARTS: dict[str, Callable[[Bench, int, random.Random], Iterator[str]]] = {
    part.__name__: part for part in (kills, writes, memory, signals, inputs, streams)
}


def bench_in(folder: Path, chosen: list[Case]) -> Bench:
    """A warm process and a small collection in a folder."""
    places = folder / "inputs", folder / "target"
    for place in places:
        place.mkdir()
    write_inputs(places[0])
    return Bench(Warm(folder), *places, chosen)


def main() -> int:
    """Inject, and print what went wrong and how often all was well."""
    if sys.argv[1:2] == ["executors"]:
        del sys.argv[1]
        return executors.main()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("count", type=int)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--no-drawings", action="store_true", help="leave out what draws, which takes a second each")
    given = parser.parse_args()
    started, wrong = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        bench = bench_in(Path(folder), [case for case in cases() if not (given.no_drawings and case.draws)])
        if not given.no_drawings:
            bench.run(Case("figure hasse --length 2 -o OUT.html"))  # keeps the scripts of pages, made in seconds
        for line in PARTS[given.part](bench, given.count, random.Random(given.seed)):
            print(f"WRONG {line}", flush=True)
            wrong += 1
        left = bench.warm.close()
    print(f"{given.count} {given.part}, {wrong} wrong, {left} left running, {time.monotonic() - started:.0f} s")
    return 1 if wrong or left else 0


if __name__ == "__main__":
    sys.exit(main())
