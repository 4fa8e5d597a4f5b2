"""What each size holds and where its files lie. No numpy here: the measuring process reads this."""

from dataclasses import dataclass
from pathlib import Path

from benchmarks.forms import FORMS
from benchmarks.scales import SCALES
from benchmarks.stats import STATS
from benchmarks.studies import STUDIES

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"  # real collections; no part of the project
TREC8 = SHARED / "trec8_adhoc"
VERSION = "v1"  # names the data's folder: raise it when a generator changes, old files are left alone


@dataclass(frozen=True)
class Size:
    """One set of input files; `kind` is the folder of its runs, `collection` that of its qrels."""

    name: str
    about: str
    collection: str
    kind: str
    runs: int
    topics: int

    def qrels(self, data: Path) -> Path:
        """Return where the qrels lie."""
        return data / VERSION / self.collection / "qrels.txt"

    def files(self, data: Path) -> list[Path]:
        """Return where the runs lie, in order."""
        folder = data / VERSION / self.collection / self.kind
        suffix = ".txt.gz" if self.kind == "gzipped" else ".txt"
        return [folder / f"run{number:03}{suffix}" for number in range(1, self.runs + 1)]


SIZES = {
    size.name: size
    for size in (
        Size("S", "1 run x 50 topics x 1000, 73 K qrels lines", "trec", "runs", 1, 50),
        Size("M", "129 runs x 50 topics x 1000, same qrels", "trec", "runs", 129, 50),
        Size("L", "1 run x 6,980 topics x 1000, 7.4 K qrels lines", "marco", "runs", 1, 6980),
        Size("L-ids", "L with the names of MS MARCO v2, lines of 67 bytes", "marco_ids", "runs", 1, 6980),
        Size("XL", "10 runs as L", "marco", "runs", 10, 6980),
        Size("shuffled", "M with its lines in no order within each topic", "trec", "shuffled", 129, 50),
        Size("gz", "20 runs of M, gzipped", "trec", "gzipped", 20, 50),
        Size("measures", "M, judged already: CG, DCG, nDCG, RBP with bounds, CRP, Twist", "trec", "runs", 129, 50),
        Size("dict", "S and 10 runs of M, as dicts in memory", "trec", "runs", 10, 50),
    )
}
if TREC8.is_dir():
    SIZES["TREC8"] = Size("TREC8", "the 129 runs of TREC-8's ad hoc task, unpacked", "trec8", "runs", 129, 50)
STARTUP = "startup"  # a size without files: the interpreter, imports and the help
NAMES = (*SIZES, FORMS, SCALES, STATS, STUDIES, STARTUP)
