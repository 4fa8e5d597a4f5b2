"""The page that sets other tools beside rankscale is what they give."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.nightly
def test_the_page_of_peers_is_what_they_give() -> None:
    command = [sys.executable, "-m", "tools.compare_peers", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.returncode == 0, done.stderr
