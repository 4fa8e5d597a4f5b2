"""The largest reference ranks: too slow for the tests, and exact all the same."""

import json
import time
from pathlib import Path

import rankscale as rs
from rankscale.scales.image import written_size

LARGE = 2**50  # values from which a case is left out of the tests


def section(data: Path) -> str:
    """Each large case of the reference vectors: what they say, what we count, and how long it took."""
    cases = json.loads((data.parent / "vectors" / "interval.json").read_text())["cases"]
    lines = ["| measure | values | rank | as referenced | s |", "|---|--:|--:|---|--:|"]
    for case in cases:
        if case["n_distinct"] < LARGE or case["measure"] != "dcg":
            continue
        gains = ",".join(case["gains"])
        measure = f"DCG(base={case['params']['base']},gains=[{gains}])@{case['N']}"
        started = time.process_time()
        scale = rs.scale(measure, levels=range(len(case["gains"])), method="exact")
        rank = scale.rank(case["run"])
        seconds = time.process_time() - started
        same = "yes" if (scale.size, rank) == (case["n_distinct"], case["phi"]) else "**no**"
        lines.append(f"| `{measure}` | {written_size(scale.size)} | {rank:,} | {same} | {seconds:.0f} |")
    return "\n\n".join(["## Interval scales: the largest reference ranks", "\n".join(lines)])
