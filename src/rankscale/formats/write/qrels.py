"""Judgments written as TREC qrels: `topic 0 document grade`, one judgment a line."""

import gzip
import os
import re
from collections.abc import Iterator

from rankscale.data.judged import UNJUDGED
from rankscale.data.qrels import Qrels
from rankscale.data.table import readable
from rankscale.errors import InputError
from rankscale.formats.read.inputs import QrelsLike, read_qrels
from rankscale.formats.write.files import write_chunks

SPACE = re.compile(rb"[\s\0]")


def write_qrels(qrels: QrelsLike, path: str | os.PathLike[str]) -> None:
    """Write judgments as TREC qrels, atomically.

    Parameters
    ----------
    qrels
        Judgments, in any form that `read_qrels` takes.
    path
        The file to write; it is packed if its name ends in .gz.

    Raises
    ------
    InputError
        If a name has blanks, which TREC qrels cannot hold, or if there is no such folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_qrels({"301": {"FT911-3": 1, "FT911-5": 0}}, f"{folder}/qrels.txt")
    ...     print(Path(folder, "qrels.txt").read_text().splitlines())
    ['301 0 FT911-3 1', '301 0 FT911-5 0']
    """
    chunks, where = qrels_lines(read_qrels(qrels)), os.fspath(path)
    # Without the time of writing, so that the same judgments give the same bytes.
    write_chunks(where, [gzip.compress(b"".join(chunks), mtime=0)] if where.endswith(".gz") else chunks)


def qrels_lines(qrels: Qrels) -> Iterator[bytes]:
    """The lines of each topic in turn; the second column, which nobody uses, is 0.

    >>> from rankscale import read_qrels
    >>> qrels = read_qrels({"301": {"FT911-3": 1, "FT911-5": 0.5}})
    >>> print(b"".join(qrels_lines(qrels)).decode(), end="")
    301 0 FT911-3 1
    301 0 FT911-5 0.5
    """
    grades = [(f"{level:.0f}" if level.is_integer() else repr(level)).encode() for level in qrels.levels.tolist()]
    for row, topic in enumerate(qrels.index.topics):
        codes = qrels.codes[qrels.starts[row] : qrels.starts[row + 1]].tolist()
        named = zip(qrels.index.documents(row), codes, strict=True)
        kept = [(document, code) for document, code in named if code != UNJUDGED]
        _check([topic, *(document for document, _ in kept)])
        yield b"".join(b"%b 0 %b %b\n" % (topic, document, grades[code]) for document, code in kept)


def _check(names: list[bytes]) -> None:
    """Names that hold what separates columns would not be read again as they are."""
    for name in names:
        if not name or SPACE.search(name):
            shown = readable(name.decode("utf-8", "surrogateescape"))
            raise InputError(f"{shown!r} cannot be written to TREC qrels: a name there is one word without spaces")
