"""The largest reference ranks: too slow for the tests, and exact all the same."""

import json
from pathlib import Path

import rankscale as rs
from rankscale.scales.counting.image import written_size
from reproduction.page import plain

CASES = "../vectors/interval.json"  # beside the folder of data
LARGE = 2**50  # values from which a case is left out of the tests


def section(data: Path) -> str:
    """Each large case of the reference vectors: what they say, and what we count."""
    lines = []
    for case in json.loads((data / CASES).read_text(encoding="utf-8"))["cases"]:
        if case["n_distinct"] < LARGE or case["measure"] != "dcg":
            continue
        gains = ",".join(case["gains"])
        measure = f"DCG(base={case['params']['base']},gains=[{gains}])@{case['N']}"
        scale = rs.scale(measure, levels=range(len(case["gains"])), method="exact")
        rank = scale.rank(case["run"])
        same = "yes" if (scale.size, rank) == (case["n_distinct"], case["phi"]) else "**no**"
        lines.append([f"`{measure}`", written_size(scale.size), f"{rank:,}", same])
    return "\n\n".join(
        [
            "## Interval scales: the largest reference ranks",
            plain(["measure", "values", "rank", "as referenced"], lines),
        ]
    )
