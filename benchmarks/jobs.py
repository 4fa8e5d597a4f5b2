"""Which tools are measured on which size, with which command and how often."""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import forms, scales, stats, studies
from benchmarks.collection import Collection, collection
from benchmarks.forms import FORMS
from benchmarks.scales import SCALES
from benchmarks.sizes import SIZES, STARTUP, Size
from benchmarks.stats import STATS
from benchmarks.studies import STUDIES
from benchmarks.tasks import Task

HERE = Path(__file__).parent
DEPTHS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
AT_DEPTHS = [f"{measure}_{depth}" for measure in ("P", "recall", "ndcg_cut") for depth in DEPTHS]
MEASURES = ("map", "Rprec", "bpref", "recip_rank", "ndcg", *AT_DEPTHS)  # 32, as trec_eval prints them

RANKSCALE, ONE_THREAD, TWO_THREADS = "rankscale", "rankscale, 1 thread", "rankscale, 2 threads"
READING_ONE, READING_TWO = "reading and judging, 1 thread", "reading and judging, 2 threads"
BOTH = ((READING_ONE, "1"), (READING_TWO, "2"))
ONE = BOTH[:1]
PYTHON, NUMPY, IMPORT, HELP = "python -c pass", "import numpy", "import rankscale", "rankscale --help"
CUMSUM, SIX_VALUES, SIX_CURVES = "one cumsum", "six measures", "six measures at every rank"
STAND_IN = "rankscale.compat.pytrec_eval"
TREC_EVAL = "trec_eval"
PEERS = {  # each peer's module, and what pip calls it
    "pytrec_eval": "pytrec_eval-terrier",
    "ir_measures": "ir-measures",
    "ranx": "ranx",
    "trectools": "trectools",
}
SLOW = ("ranx", "trectools")
SLOW_REPEATS = 2  # the first run of ranx after installing compiles, so one would not do it justice
DICT_MODES = {"dict S": (1, "each"), "dict M10": (10, "each"), "dict M10, qrels once": (10, "once")}


@dataclass(frozen=True)
class Job:
    """One tool on one size: a row of measurements."""

    size: str
    tool: str
    command: Sequence[str]
    repeats: int
    needs: str = ""  # the module that must be importable
    inside: bool = False  # the command times itself


@dataclass(frozen=True)
class Plan:
    """What the user asked for, turned into jobs a size at a time."""

    data: Path
    out: Path  # a folder the tools write into
    repeats: int
    all_peers: bool
    shared: Path  # where real collections may lie

    def jobs(self, name: str) -> list[Job]:
        """Return the jobs of a size in the order in which they take turns."""
        by_themselves: dict[str, Callable[[], list[Job]]] = {
            STARTUP: self.startup,
            "dict": self.dicts,
            "measures": self.papers_measures,
            FORMS: lambda: [self.job(FORMS, task) for task in forms.TASKS],
            SCALES: lambda: [self.job(SCALES, task) for task in scales.TASKS],
            STATS: lambda: [self.job(STATS, task, stats.ONE_THREAD) for task in stats.TASKS],
            STUDIES: lambda: [self.job(STUDIES, task, stats.ONE_THREAD) for task in studies.TASKS],
        }
        if name in by_themselves:
            return by_themselves[name]()
        size = SIZES[name]
        return [*self.rankscale(size), *self.peers(size), *self.trec_eval(size), *self.reading(size)]

    def collection(self, name: str) -> Collection | None:
        """Return the files of a size, where it has any."""
        return collection(name, self.data, self.shared)

    def rankscale(self, size: Size) -> list[Job]:
        """Return rankscale with as many threads as it takes by itself, and with fixed numbers."""
        asked = [option for measure in MEASURES for option in ("-m", measure)]
        files = [str(size.qrels(self.data)), *map(str, size.files(self.data))]
        command = [str(console_script()), "evaluate", *files, *asked, "--per-topic", "--format", "tsv"]
        threads = {RANKSCALE: [], ONE_THREAD: ["--threads", "1"], TWO_THREADS: ["--threads", "2"]}
        if size.name != "XL":
            del threads[TWO_THREADS]
        written = ["-o", str(self.out / "rankscale.tsv")]
        return [
            Job(size.name, tool, [*command, *option, *written], self.repeats, "rankscale")
            for tool, option in threads.items()
        ]

    def peers(self, size: Size) -> list[Job]:
        """Return the Python peers; slow ones beyond S only where asked for, and nothing twice on XL."""
        jobs = []
        for peer in PEERS:
            if peer in SLOW and size.name != "S" and not self.all_peers:
                continue
            repeats = min(SLOW_REPEATS, self.repeats) if peer in SLOW else self.repeats
            script = HERE / "peers" / f"with_{peer}.py"
            command = [sys.executable, str(script), *self.arguments(size, peer)]
            jobs.append(Job(size.name, peer, command, 1 if size.name == "XL" else repeats, peer))
        return jobs

    def trec_eval(self, size: Size) -> list[Job]:
        """Return trec_eval where the variable TREC_EVAL names it; it does not read gzip."""
        if not os.environ.get("TREC_EVAL") or size.name == "gz":
            return []
        command = ["sh", str(HERE / "peers" / "with_trec_eval.sh"), *self.arguments(size, TREC_EVAL)]
        return [Job(size.name, TREC_EVAL, command, 1 if size.name == "XL" else self.repeats)]

    def reading(self, size: Size) -> list[Job]:
        """Return reading and judging alone: many files side by side, and lines of different lengths on one thread."""
        threads = {"M": BOTH, "XL": BOTH, "L": ONE, "L-ids": ONE}.get(size.name, ())
        script = [sys.executable, str(HERE / "inside" / "reading.py")]
        files = [str(size.qrels(self.data)), *map(str, size.files(self.data))]
        return [
            Job(size.name, tool, [*script, count, *files], self.repeats, "rankscale", inside=True)
            for tool, count in threads
        ]

    def dicts(self) -> list[Job]:
        """Return dict input, for us and for the one peer that takes dicts as they are."""
        size, script = SIZES["dict"], str(HERE / "inside" / "dict_input.py")
        jobs = []
        for name, (runs, mode) in DICT_MODES.items():
            files = [str(size.qrels(self.data)), *map(str, size.files(self.data)[:runs])]
            for tool, needs in ((RANKSCALE, RANKSCALE), (STAND_IN, RANKSCALE), ("pytrec_eval", "pytrec_eval")):
                command = [sys.executable, script, tool, mode, *files]
                jobs.append(Job(name, tool, command, self.repeats, needs, inside=True))
        return jobs

    def papers_measures(self) -> list[Job]:
        """Return the papers' measures, as values and at every rank, beside adding up as many numbers once."""
        size, script = SIZES["measures"], str(HERE / "inside" / "papers_measures.py")
        files = [str(size.qrels(self.data)), *map(str, size.files(self.data))]
        return [
            Job(size.name, tool, [sys.executable, script, what, *files], self.repeats, "rankscale", inside=True)
            for tool, what in ((CUMSUM, "cumsum"), (SIX_VALUES, "values"), (SIX_CURVES, "curves"))
        ]

    def job(self, size: str, task: Task, before: Sequence[str] = ()) -> Job:
        """Return a call that times itself, over the runs of the size where it asks for them."""
        held = self.collection(size)
        files = map(str, held.files) if held and task.over_runs else ()
        command = [*before, sys.executable, str(HERE / "inside" / task.script), *task.arguments, *files]
        repeats = min(SLOW_REPEATS, self.repeats) if task.slow else self.repeats
        return Job(size, task.tool, command, repeats, "rankscale", inside=True)

    def startup(self) -> list[Job]:
        """Return what a user waits for before anything is read."""
        python = [sys.executable, "-c"]
        return [
            Job(STARTUP, PYTHON, [*python, "pass"], self.repeats),
            Job(STARTUP, NUMPY, [*python, "import numpy"], self.repeats, "numpy"),
            Job(STARTUP, IMPORT, [*python, "import rankscale"], self.repeats, "rankscale"),
            Job(STARTUP, HELP, [str(console_script()), "--help"], self.repeats, "rankscale"),
        ]

    def arguments(self, size: Size, tool: str) -> list[str]:
        """Return what every peer script takes: qrels, where to write, runs."""
        return [str(size.qrels(self.data)), str(self.out / f"{tool}.txt"), *map(str, size.files(self.data))]


def console_script() -> Path:
    """Return the rankscale command installed beside this interpreter."""
    return Path(sys.executable).parent / "rankscale"
