"""`python -m tests.fuzz`: many inputs of every form; ends with 1 where the readers disagree on any."""

import argparse
import sys
import time

from tests.fuzz.binary_inputs import BINARY_FORMS
from tests.fuzz.campaign import campaign
from tests.fuzz.form_inputs import FORMS
from tests.fuzz.inputs import case
from tests.fuzz.worker import form_case, problem

BATCH = 2_000
SHOWN = 300  # bytes of an input
COUNTS = {"trec": 100_000, **dict.fromkeys(FORMS + BINARY_FORMS, 20_000)}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--form", choices=COUNTS, help="of which form; all of them by default")
    parser.add_argument("--count", type=int, help="how many inputs of each form; 1 shows the input of one form")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first input")
    options = parser.parse_args()
    if options.count == 1:
        return _shown(options.form or "trec", options.seed, options.start)
    forms = (options.form,) if options.form else tuple(COUNTS)
    troubles = [_tried(form, options.seed, options.start, options.count or COUNTS[form]) for form in forms]
    return 1 if any(troubles) else 0


def _tried(form: str, seed: int, first: int, count: int) -> int:
    """How many troubles there are with inputs of one form; each is printed."""
    began, troubles, end = time.monotonic(), 0, first + count
    for start in range(first, end, BATCH):
        for trouble in campaign(seed, start, min(BATCH, end - start), form=form):
            troubles += 1
            print(trouble, flush=True)
    seconds = time.monotonic() - began
    print(f"{form}: {count} inputs from seed {seed}, {troubles} troubles, {seconds:.0f} s", flush=True)
    return troubles


def _shown(form: str, seed: int, number: int) -> int:
    """One input in this process, so that a debugger sees it."""
    if form == "trec":
        one = case(seed, number)
        _show("qrels", one.qrels)
        _show("run", one.run)
        print(f"read from {one.way}, order {one.order}, depth {one.depth}")
    else:
        written = form_case(form, seed, number)
        _show(written.kind, written.data)
        print(f"read from {written.way}, depth {written.depth}, {written.options}")
    disagreement = problem(form, seed, number)
    print(disagreement or "both readers agree")
    return 1 if disagreement else 0


def _show(what: str, data: bytes) -> None:
    print(f"{what}, {len(data)} bytes: {data[:SHOWN]!r}{' ...' if len(data) > SHOWN else ''}")


if __name__ == "__main__":
    sys.exit(main())
