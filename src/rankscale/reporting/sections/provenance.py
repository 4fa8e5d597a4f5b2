"""Versions, settings and files: all that is needed to get the same numbers again."""

import hashlib
import os
import platform

import numpy as np

from rankscale import __version__
from rankscale.data.names import counted
from rankscale.data.notices import render
from rankscale.data.table import readable
from rankscale.reporting.measured import value_files
from rankscale.reporting.parts import PageCell, PageColumn, PageFacts, PageTable, ReportSection, count, name
from rankscale.reporting.results import Results


def provenance(results: Results) -> ReportSection:
    """Versions, settings, and the files with their hashes."""
    about = results.comparison
    facts = [
        ("rankscale", __version__),
        ("Python", platform.python_version()),
        ("numpy", np.__version__),
        *([("command", readable(results.command))] if results.command else []),
        ("measures", ", ".join(map(str, results.measures))),
        ("signature", results.evaluation.signature),
        ("test", f"{about.test.label}, correction {about.correction}, alpha {about.alpha:g}"),
        ("seed", str(results.seed)),
        *(("values", readable(render(notice))) for notice in results.evaluation.notices if notice.kind == "read as"),
    ]
    sources = results.evaluation.sources if results.has_rankings else value_files(results.evaluation)
    sources += () if results.groups is None else (results.groups.groups_from,)
    sources += (results.studies.other_qrels,)
    files = [row for source in sources if (row := _file(source)) is not None]
    columns = [PageColumn("file", number=False), PageColumn("bytes"), PageColumn("SHA-256", number=False)]
    table = [PageTable("files", f"{len(files)} files read", columns, files)] if files else []
    folded = f"Versions, settings and {counted(len(files), 'file')} with SHA-256"
    return ReportSection("provenance", "Provenance", [PageFacts(facts), *table], folded)


def _file(source: str) -> list[PageCell] | None:
    """A file and its hash; None for what was read from elsewhere."""
    if not os.path.isfile(source):
        return None
    with open(source, "rb") as opened:
        digest = hashlib.file_digest(opened, "sha256")
    return [name(os.path.basename(source)), count(os.path.getsize(source)), PageCell(digest.hexdigest())]
