"""What the numbers depend on: processor, load, versions. The name of the machine is nobody's business."""

import os
import platform
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.jobs import PEERS, console_script

CHECKOUT = "."  # where rankscale itself is installed from


def machine() -> dict[str, object]:
    """Return the processor, how many there are, and how busy they were."""
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "load_average": [round(load, 2) for load in os.getloadavg()],
        "system": platform.system(),
    }


def processor() -> str:
    """Return the model of the processor, where the system tells it."""
    listed = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*:\s*(.+)", listed.read_text()) if listed.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def versions() -> dict[str, str]:
    """Return the version of Python and of everything measured that is installed."""
    found = {"python": platform.python_version()}
    for package in ("rankscale", "numpy", "scipy", *PEERS.values()):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    if os.environ.get("TREC_EVAL"):
        said = run_quietly([os.environ["TREC_EVAL"], "--version"])
        number = re.search(r"\d+(\.\d+)+\S*", said.stdout + said.stderr)
        found["trec_eval"] = number[0] if number else "unknown"
    return found


def run_quietly(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a small command to its end, whatever it says."""
    return subprocess.run(command, capture_output=True, text=True, check=False)


def absent(module: str) -> str:
    """Return why a module cannot be used and what to do, or nothing.

    Imported in a child: finding it is not enough, and the measuring process must stay small.
    """
    tried = run_quietly([sys.executable, "-c", f"import {module}"])
    if tried.returncode:
        reason = tried.stderr.strip().split("\n")[-1]
        package = PEERS.get(module, CHECKOUT)
        return f"cannot import {module} ({reason}); install it with: pip install {package}"
    if module == "rankscale" and not console_script().exists():
        return f"there is no rankscale command at {console_script()}; install rankscale into this environment"
    return ""
