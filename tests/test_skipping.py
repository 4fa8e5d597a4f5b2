"""Without a browser the other tests still pass, and the last lines say what is missing."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_without_a_browser_the_tests_pass_and_say_how_to_run_the_others() -> None:
    seen = "tests/figures/test_hasse.py::test_is_drawn_without_overlap"
    without = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")} | {"PATH": ""}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", seen], cwd=ROOT, env=without, capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    last = " ".join(ended.stdout.splitlines()[-3:])
    assert "1 tests were skipped: no chromium" in last
    assert "apt-get install chromium" in last
