"""Where the files of a size lie; some are TREC-8 where it lies beside the project, else M."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.scales import SCALES
from benchmarks.sizes import SIZES
from benchmarks.stats import STATS
from benchmarks.studies import STUDIES

REAL = (SCALES, STATS, STUDIES)  # sizes that take TREC-8 where it is there
INSTEAD = "M"  # the size that is made in the likeness of TREC-8


@dataclass(frozen=True)
class Collection:
    """Qrels and runs."""

    about: str
    topics: int
    qrels: Path
    runs: Sequence[Path]

    @property
    def files(self) -> list[Path]:
        """Qrels, then runs."""
        return [self.qrels, *self.runs]


def collection(size: str, data: Path, shared: Path) -> Collection | None:
    """Return what a size is measured on: generated into `data`, or real; None where no file is read."""
    if size in REAL:
        return trec8(shared) or generated(INSTEAD, data)
    return generated(size, data) if size in SIZES else None


def generated(name: str, data: Path) -> Collection:
    """Return what is generated for a size."""
    size = SIZES[name]
    return Collection(f"{name}, generated: {size.about}", size.topics, size.qrels(data), size.files(data))


def trec8(shared: Path) -> Collection | None:
    """Return TREC-8 if it is there."""
    folder = shared / "trec8_adhoc"
    if not folder.is_dir():
        return None
    runs = sorted((folder / "runs").iterdir())
    return Collection(f"TREC-8, {len(runs)} runs x 50 topics", 50, folder / "trec8.qrels.gz", runs)


def to_generate(sizes: Sequence[str], shared: Path) -> list[str]:
    """Return the sizes whose files have to be made."""
    instead = [INSTEAD] if set(REAL) & set(sizes) and trec8(shared) is None else []
    return [*(size for size in sizes if size in SIZES), *instead]
