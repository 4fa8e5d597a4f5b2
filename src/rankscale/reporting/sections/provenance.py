"""What another person needs to get the same numbers."""

import hashlib
import os
import platform

from rankscale import __version__
from rankscale.data.table import readable
from rankscale.reporting.parts import Cell, Column, Facts, Section, Table, count, name
from rankscale.reporting.results import Results

PIECE = 1 << 20  # bytes read at a time


def provenance(results: Results) -> Section:
    """Versions, settings, and the files with their hashes."""
    about = results.comparison
    facts = [
        ("rankscale", __version__),
        ("Python", platform.python_version()),
        ("numpy", _numpy()),
        *([("command", readable(results.command))] if results.command else []),
        ("measures", ", ".join(map(str, results.measures))),
        ("signature", results.evaluation.signature),
        ("test", f"{about.test.label}, correction {about.correction}, alpha {about.alpha:g}"),
        ("seed", str(results.seed)),
    ]
    files = [row for source in results.evaluation.sources if (row := _file(source)) is not None]
    columns = [Column("file", number=False), Column("bytes"), Column("SHA-256", number=False)]
    table = [Table("files", f"{len(files)} files read", columns, files)] if files else []
    return Section("provenance", "Provenance", [Facts(facts), *table])


def _numpy() -> str:
    import numpy as np

    return np.__version__


def _file(source: str) -> list[Cell] | None:
    """A file and its hash; None for what was read from elsewhere."""
    if not os.path.isfile(source):
        return None
    digest = hashlib.sha256()
    with open(source, "rb") as opened:
        while piece := opened.read(PIECE):
            digest.update(piece)
    return [name(os.path.basename(source)), count(os.path.getsize(source)), Cell(digest.hexdigest())]
