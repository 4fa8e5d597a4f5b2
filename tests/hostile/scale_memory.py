"""Predicted and measured memory of interval scales: `python -m tests.hostile.scale_memory [MEASURE...]`.

Each case is described in a process of its own, as `rankscale scale` does it. The exit code is 1 if one takes more than
was predicted, or less than half of it where that is much.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass

LITTLE = 24.0  # megabytes: below, it is not predicted, as libraries and the allocator take as much
SLACK = 8.0  # megabytes that a prediction may be short of, for the same reason
ONE = """
import json, re, sys
from pathlib import Path
from rankscale.scales import describe  # what is loaded for any scale
from rankscale.scales.counting.image import LISTED
from rankscale.scales.scale import scale

def peak():  # of this process alone; getrusage counts the one that it was forked from
    return int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024

options = json.loads(sys.argv[1])
scale("P@3").size
made = scale(options.pop("measure"), **options)
made.cost
before = peak()
describe.describe(made, [[1, 0, 1]], ends=5)
exact = made.provenance.kind != "estimated"
listed = made.size * made._plan.image.listing if exact and made.size <= LISTED else 0
print((made.cost.peak + listed) / 1e6, (peak() - before) / 1e6, made.cost.setup)
"""
GRADED, FINE = [0, 1, 2], [0, 1, 2, 3]
Options = Mapping[str, object]
CASES: list[tuple[str, Options]] = [
    *((f"AP@{depth}", {}) for depth in (10, 16, 20, 22, 24, 26, 27, 28)),
    ("AP@24", {"method": "estimated"}),
    ("AP@30", {}),
    ("AP@30", {"method": "estimated"}),
    *((f"AP@{depth}", {"counts": 8, "universe": "feasible"}) for depth in (20, 30)),
    *((f"GAP@{depth}", {"levels": GRADED}) for depth in (8, 10, 12, 14, 16)),
    *((f"GAP@{depth}", {"levels": FINE}) for depth in (6, 8, 10, 12)),
    ("GAP@14", {"levels": GRADED, "counts": [20, 5, 3], "universe": "feasible"}),
    *((f"ERR@{depth}", {"levels": GRADED}) for depth in (6, 8, 10, 12)),
    *((f"ERR@{depth}", {"levels": FINE}) for depth in (6, 8)),
    *((f"ERR@{depth}", {}) for depth in (10, 16, 20)),
    *((f"Q@{depth}", {"levels": GRADED, "counts": [20, 5, 3]}) for depth in (6, 8, 10, 12, 14)),
    *((f"Q@{depth}", {"counts": [20, 8]}) for depth in (10, 16, 20, 24)),
    *((f"DCG(base=2)@{depth}", {}) for depth in (20, 30, 40, 44, 50)),
    *((f"DCG(base=2)@{depth}", {"levels": FINE}) for depth in (10, 15, 20, 24)),
    ("DCG(base=2)@40", {"method": "exact"}),
    ("DCG(base=2)@55", {"method": "exact"}),
    ("DCG(base=2)@20", {"levels": FINE, "method": "exact"}),
    ("DCG(base=2)@200", {}),
    ("DCG(base=2)@1000", {"levels": FINE}),
    *((f"nDCG@{depth}", {"levels": FINE}) for depth in (5, 10, 20)),
    ("nDCG@20", {"counts": [30, 6], "universe": "feasible"}),
    ("nDCG@10", {"levels": GRADED, "counts": [30, 6, 5], "universe": "feasible"}),
    *((f"RBP(p=0.8)@{depth}", {}) for depth in (10, 20, 30, 100, 1000)),
    *((f"RBP(p=0.5)@{depth}", {}) for depth in (20, 1000)),
    *((f"RBP(p=2/3)@{depth}", {"levels": FINE}) for depth in (8, 12, 16, 20)),
    *((f"RBP(p=2/3,gains='linear')@{depth}", {"levels": FINE}) for depth in (10, 12, 13, 14, 18, 22)),
    *((f"RR@{depth}", {}) for depth in (10, 1000)),
    ("P@1000", {}),
    ("CG@100", {"levels": FINE}),
    ("CG@190", {"levels": FINE}),
    ("CG@2000", {"levels": GRADED}),
    ("CG@3000", {"levels": [0, 1, 2, 1000]}),
    *((f"Twist@{depth}", {"counts": [100, depth // 4]}) for depth in (20, 60)),
    ("Twist@40", {"levels": GRADED, "counts": [100, 10, 10]}),
    *((f"INST@{depth}", {}) for depth in (8, 12)),
    *((f"BPref@{depth}", {"counts": [20, 8]}) for depth in (8, 12)),
    *((f"NERR8@{depth}", {"levels": GRADED}) for depth in (8, 12)),
]  # fmt: skip


@dataclass(frozen=True)
class Memory:
    """Megabytes of one scale."""

    measure: str
    options: Options
    predicted: float = 0.0
    measured: float = 0.0
    seconds: float = 0.0  # predicted, of set-up
    said: str = ""

    @property
    def is_wrong(self) -> bool:
        """Whether more was taken than predicted, or much was predicted, and not half of it taken."""
        return (
            bool(self.said)
            or self.measured > self.predicted + SLACK
            or self.predicted > max(LITTLE, 2 * self.measured + SLACK)
        )

    def __str__(self) -> str:
        wrong = "WRONG" if self.is_wrong else "     "
        name = f"{self.measure} {json.dumps(self.options)}"
        return f"{wrong} {self.predicted:8.1f} {self.measured:8.1f} MB  {self.seconds:6.2f} s  {name} {self.said}"


def measured(measure: str, options: Options) -> Memory:
    """Describe one scale in a process of its own."""
    words = [sys.executable, "-c", ONE, json.dumps({"measure": measure, **options})]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    if ended.returncode:
        return Memory(measure, options, said=ended.stderr.strip().splitlines()[-1][:200])
    predicted, taken, seconds = map(float, ended.stdout.split())
    return Memory(measure, options, predicted, taken, seconds)


def main(names: list[str]) -> int:
    """Print a row for each case."""
    print("      predicted measured   set-up")
    rows = []
    for measure, options in CASES:
        if not names or any(measure.startswith(name) for name in names):
            rows.append(measured(measure, options))
            print(rows[-1], flush=True)
    return int(any(row.is_wrong for row in rows))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
