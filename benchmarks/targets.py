"""The table: ratios of what was measured, what each should be, and whether it is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from benchmarks import forms, scales, stats, studies
from benchmarks.forms import FORMS
from benchmarks.jobs import (
    CUMSUM,
    DICT_MODES,
    HELP,
    IMPORT,
    NUMPY,
    ONE_THREAD,
    PEERS,
    PYTHON,
    RANKSCALE,
    READING_ONE,
    READING_TWO,
    SIX_CURVES,
    SIX_VALUES,
    STAND_IN,
    TREC_EVAL,
    TWO_THREADS,
)
from benchmarks.scales import ENUMERATED, SCALES, SHORT
from benchmarks.sizes import SIZES, STARTUP
from benchmarks.stats import RACES, STATS
from benchmarks.studies import STUDIES
from benchmarks.tasks import CPU, PEAK, Task
from benchmarks.timing import Sample

Samples: TypeAlias = Mapping[tuple[str, str], Sequence[Sample]]  # by size and tool

AT_LEAST = {  # peer's wall time over ours, rankscale with the threads it takes by itself
    ("S", "pytrec_eval"): 1.43,  # our time at most 0.7 of theirs
    ("M", TREC_EVAL): 10.0,
    ("M", "pytrec_eval"): 20.0,
    ("M", "ir_measures"): 20.0,
    ("TREC8", "pytrec_eval"): 20.0,
    ("L", TREC_EVAL): 12.0,
    ("L", "pytrec_eval"): 35.0,
    ("L-ids", "pytrec_eval"): 28.0,
    ("XL", TREC_EVAL): 15.0,
    ("XL", "pytrec_eval"): 55.0,
    ("gz", "pytrec_eval"): 8.0,
    ("shuffled", "pytrec_eval"): 5.0,
    **{(mode, "pytrec_eval"): 2.0 for mode in DICT_MODES},
}
STAND_IN_AT_LEAST = 2.0  # pytrec_eval's wall time over that of its stand-in
THREADS_AT_LEAST = {("XL", READING_ONE): 1.7, ("XL", ONE_THREAD): 1.4}  # one thread's wall over two's
MEMORY_AT_MOST = {"L": 64.0}  # MB
LONG_LINES_AT_MOST = 1.25  # CPU of reading lines with long names over that of as many short ones
SIX_AT_MOST = 30.0  # the six measures over one cumsum of as many numbers as there are ranks
IMPORT_AT_MOST = 1.5  # import rankscale over import numpy, both from a fresh interpreter
UNITS = {CPU: ("CPU s", "s"), PEAK: ("peak MB", "MB")}  # in the row's name, and behind its limit
NOT_MEASURED, FAILED, MET, MISSED = "not measured", "failed", "met", "missed"


@dataclass(frozen=True)
class Row:
    """One line of the table; numbers that were not measured are None."""

    size: str
    what: str
    theirs: float | None  # best wall seconds, or what `what` says
    ours: float | None
    ratio: float | None
    one_thread: float | None  # the same ratio with rankscale on one thread
    cpu: float | None  # the ratio of processor times
    target: str
    verdict: str
    best_of: str  # theirs/ours


def rows(samples: Samples, sizes: Sequence[str]) -> list[Row]:
    """Return the table for the sizes asked for, targets that could not be measured among them."""
    found = []
    for size in sizes:
        for name in DICT_MODES if size == "dict" else [size]:
            found += against_peers(samples, name)
            found += stand_in(samples, name)
        found += threads(samples, size) + memory(samples, size)
    found += long_lines(samples) if {"L", "L-ids"} <= set(sizes) else []
    found += papers_measures(samples) if "measures" in sizes else []
    found += forms_of_input(samples) if FORMS in sizes else []
    found += interval_scales(samples) if SCALES in sizes else []
    found += significance_tests(samples) if STATS in sizes else []
    found += many_runs(samples) if STUDIES in sizes else []
    return found + (startup(samples) if STARTUP in sizes else [])


def against_peers(samples: Samples, size: str) -> list[Row]:
    """Return a row for each peer that was measured or has a target."""
    peers = [peer for peer in (TREC_EVAL, *PEERS) if (size, peer) in samples or (size, peer) in AT_LEAST]
    return [
        compared(samples, size, f"{peer} / rankscale", (peer, RANKSCALE), AT_LEAST.get((size, peer))) for peer in peers
    ]


def stand_in(samples: Samples, size: str) -> list[Row]:
    """Return pytrec_eval beside the module that replaces it, on the same dicts."""
    if size not in DICT_MODES:
        return []
    what = f"pytrec_eval / {STAND_IN}"
    return [compared(samples, size, what, ("pytrec_eval", STAND_IN), STAND_IN_AT_LEAST)]


def threads(samples: Samples, size: str) -> list[Row]:
    """Return what a second thread gains."""
    if size not in SIZES:
        return []
    pairs = {
        "reading and judging, 1 / 2 threads": (READING_ONE, READING_TWO),
        "whole job, 1 / 2 threads": (ONE_THREAD, TWO_THREADS),
    }
    return [
        compared(samples, size, what, (one, two), THREADS_AT_LEAST.get((size, one)))
        for what, (one, two) in pairs.items()
        if (size, two) in samples or (size, one) in THREADS_AT_LEAST
    ]


def memory(samples: Samples, size: str) -> list[Row]:
    """Return the peak memory of rankscale beside its limit, where it has one."""
    limit = MEMORY_AT_MOST.get(size)
    return [] if limit is None else [at_most(samples, size, RANKSCALE, PEAK, limit)]


def long_lines(samples: Samples) -> list[Row]:
    """Return what long names of documents cost, reading and judging as many lines on one thread."""
    sides = [("L-ids", READING_ONE), ("L", READING_ONE)]
    long, short = ("reading lines of 67 bytes", "reading lines of 37 bytes")
    both = {("L-ids", name): samples[side] for name, side in zip((long, short), sides, strict=True) if side in samples}
    return [compared(both, "L-ids", f"{long} / 37 bytes", (long, short), LONG_LINES_AT_MOST, at_most=True, by_cpu=True)]


def papers_measures(samples: Samples) -> list[Row]:
    """Return how often a cumsum could be taken while the papers' measures are computed."""
    return [
        compared(samples, "measures", f"{SIX_VALUES} / {CUMSUM}", (SIX_VALUES, CUMSUM), SIX_AT_MOST, at_most=True),
        compared(samples, "measures", f"{SIX_CURVES} / {CUMSUM}", (SIX_CURVES, CUMSUM), SIX_AT_MOST, at_most=True),
    ]


def forms_of_input(samples: Samples) -> list[Row]:
    """Return what reading each form takes, and that as a multiple of TREC text."""
    return alone(samples, FORMS, forms.TASKS) + [
        compared(samples, FORMS, f"{ours.tool} / {trec.tool}", (ours.tool, trec.tool), most, at_most=True, by_cpu=True)
        for ours, trec, most in forms.RACES
    ]


def interval_scales(samples: Samples) -> list[Row]:
    """Return what interval scales take, beside what they may, and beside enumerating all rankings."""
    return alone(samples, SCALES, scales.TASKS) + [
        compared(samples, SCALES, f"{peer.tool} / {SHORT.tool}", (peer.tool, SHORT.tool), None) for peer in ENUMERATED
    ]


def significance_tests(samples: Samples) -> list[Row]:
    """Return what tests of all pairs take, beside what they may, and beside loops over pairs."""
    return alone(samples, STATS, stats.TASKS) + [
        compared(samples, STATS, f"{loop.tool} / {ours.tool}", (loop.tool, ours.tool), least)
        for loop, ours, least in RACES
    ]


def many_runs(samples: Samples) -> list[Row]:
    """Return what studies take, beside what they may, and what one more sample costs a peer."""
    theirs, ours = studies.RACE
    tools = theirs.tool, ours.tool
    return [
        *alone(samples, STUDIES, studies.TASKS),
        compared(samples, STUDIES, " / ".join(tools), tools, studies.FASTER),
        *(
            compared(samples, STUDIES, f"{peer.tool} / rankscale", (peer.tool, own.tool), least)
            for peer, own, least in (*studies.FUSIONS, studies.DIVERSITY)
        ),
    ]


def alone(samples: Samples, size: str, tasks: Sequence[Task]) -> list[Row]:
    """Return what is shown of each call by itself."""
    return [at_most(samples, size, task.tool, field, limit) for task in tasks for field, limit in task.limits.items()]


def startup(samples: Samples) -> list[Row]:
    """Return how long starting takes, as multiples of starting Python and of importing numpy."""
    return [
        compared(samples, STARTUP, f"{NUMPY} / {PYTHON}", (NUMPY, PYTHON), None),
        compared(samples, STARTUP, f"{IMPORT} / {NUMPY}", (IMPORT, NUMPY), IMPORT_AT_MOST, at_most=True),
        compared(samples, STARTUP, f"{HELP} / {PYTHON}", (HELP, PYTHON), None),
    ]


def compared(
    samples: Samples,
    size: str,
    what: str,
    tools: tuple[str, str],
    limit: float | None,
    *,
    at_most: bool = False,
    by_cpu: bool = False,
) -> Row:
    """Return the row of the first tool over the second, both at their best; limits are of wall time, or of CPU."""
    over, under = tools
    above, below = best(samples, size, over, "wall"), best(samples, size, under, "wall")
    ratio, cpu = quotient(above, below), quotient(best(samples, size, over, "cpu"), best(samples, size, under, "cpu"))
    limited = cpu if by_cpu else ratio
    met = None if limited is None or limit is None else (limited <= limit if at_most else limited >= limit)
    return Row(
        size=size,
        what=what,
        theirs=above,
        ours=below,
        ratio=ratio,
        one_thread=quotient(above, best(samples, size, ONE_THREAD, "wall")) if under == RANKSCALE else None,
        cpu=cpu,
        target="" if limit is None else f"{'<=' if at_most else '>='} {limit:g}x{' CPU' * by_cpu}",
        verdict=verdict_of(samples, [(size, over), (size, under)], met),
        best_of="/".join(str(len(samples.get((size, tool), []))) for tool in (over, under)),
    )


def at_most(samples: Samples, size: str, tool: str, field: str, limit: float | None) -> Row:
    """Return the row of one number of a tool alone: its least seconds, or its highest peak of memory."""
    found = highest(samples, size, tool, field) if field == PEAK else best(samples, size, tool, field)
    words, unit = UNITS[field]
    return Row(
        size=size,
        what=f"{tool}, {words}",
        theirs=None,
        ours=found,
        ratio=None,
        one_thread=None,
        cpu=None,
        target="" if limit is None else f"<= {limit:g} {unit}",
        verdict=verdict_of(samples, [(size, tool)], None if found is None or limit is None else found <= limit),
        best_of=str(len(samples.get((size, tool), []))),
    )


def best(samples: Samples, size: str, tool: str, field: str) -> float | None:
    """Return the least of a tool's times: what disturbs a measurement only ever adds to it."""
    good = [sample for sample in samples.get((size, tool), []) if not sample.error]
    return min((getattr(sample, field) for sample in good), default=None)


def highest(samples: Samples, size: str, tool: str, field: str) -> float | None:
    """Return the highest of a tool's numbers: memory that was needed once may be needed again."""
    good = [sample for sample in samples.get((size, tool), []) if not sample.error]
    return max((getattr(sample, field) for sample in good), default=None)


def quotient(above: float | None, below: float | None) -> float | None:
    """Return the ratio, where both sides are known."""
    return above / below if above is not None and below else None


def verdict_of(samples: Samples, sides: Sequence[tuple[str, str]], met: bool | None) -> str:  # noqa: FBT001
    """Return one word for the last column."""
    if any(side not in samples for side in sides):
        return NOT_MEASURED
    if any(sample.error for side in sides for sample in samples[side]):
        return FAILED
    return {None: "", True: MET, False: MISSED}[met]
