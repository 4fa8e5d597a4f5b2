"""What another person needs to get the same numbers."""

import hashlib
import os
import platform

from rankscale import __version__
from rankscale.data.table import readable
from rankscale.reporting.findings import Findings
from rankscale.reporting.parts import Cell, Column, FactsPart, Section, Table, TablePart, count, name

PIECE = 1 << 20  # bytes read at a time


def provenance(findings: Findings) -> Section:
    """Versions, settings, and the files with their hashes."""
    about = findings.comparison
    facts = [
        ("rankscale", __version__),
        ("Python", platform.python_version()),
        ("numpy", _numpy()),
        *([("command", readable(findings.command))] if findings.command else []),
        ("measures", ", ".join(map(str, findings.measures))),
        ("signature", findings.evaluation.signature),
        ("test", f"{about.test.label}, correction {about.correction}, alpha {about.alpha:g}"),
        ("seed", str(findings.seed)),
    ]
    files = [row for source in findings.evaluation.sources if (row := _file(source)) is not None]
    columns = [Column("file", number=False), Column("bytes"), Column("SHA-256", number=False)]
    table = [TablePart(Table("files", f"{len(files)} files read", columns, files))] if files else []
    return Section("provenance", "Provenance", [FactsPart(facts), *table])


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
