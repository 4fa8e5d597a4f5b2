"""Write the input files of the sizes asked for: `python -m benchmarks.generate DATA SIZE...`.

A file that is there is kept: each is written under another name and moved in place when it is whole, and
each has a seed of its own, so it does not matter which files are made first.
"""

import gzip
import lzma
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from benchmarks import marco_like, trec_like
from benchmarks.sizes import SIZES, TREC8, Size

# A collection is drawn once, for all its runs.
trec_collection = cache(trec_like.collection)
marco_collection = cache(marco_like.collection)
MARCO = {"marco": marco_like.numbers, "marco_ids": marco_like.long_names}  # how documents are named


def qrels(size: Size) -> Iterable[bytes]:
    """Return the qrels of a size, in pieces."""
    if size.collection == "trec8":
        return [gzip.decompress((TREC8 / "trec8.qrels.gz").read_bytes())]
    if size.collection in MARCO:
        return marco_like.qrels(marco_collection(), MARCO[size.collection])
    return trec_like.qrels(trec_collection())


def run(size: Size, number: int) -> Iterable[bytes]:
    """Return one run of a size, in pieces."""
    if size.collection == "trec8":
        return [lzma.decompress(sorted((TREC8 / "runs").iterdir())[number - 1].read_bytes())]
    if size.collection in MARCO:
        return marco_like.run(marco_collection(), number, MARCO[size.collection])
    pieces = trec_like.run(trec_collection(), number, shuffled=size.kind == "shuffled")
    if size.kind == "gzipped":
        return [gzip.compress(b"".join(pieces), compresslevel=6, mtime=0)]
    return pieces


def write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file so that it is either whole or not there."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    with part.open("wb") as out:
        out.writelines(pieces)
    part.replace(path)


def make(size: Size, data: Path) -> None:
    """Write those files of a size that are not there yet."""
    if not size.qrels(data).exists():
        write(size.qrels(data), qrels(size))
    for number, path in enumerate(size.files(data), start=1):
        if not path.exists():
            write(path, run(size, number))


if __name__ == "__main__":
    for name in sys.argv[2:]:
        make(SIZES[name], Path(sys.argv[1]))
