"""One measurement: a command in a fresh process, its wall time, processor time and peak memory."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

STDOUT, STDERR = "stdout.txt", "stderr.txt"
BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss


@dataclass(frozen=True)
class Sample:
    """What one run of a command took; where `error` is not empty the times mean nothing."""

    wall: float
    cpu: float  # user and system, of the command and of what it started
    peak_mb: float  # not below the measuring process's own, about 20
    load: float  # average over the last minute, when the command ended
    error: str = ""


def measure(command: Sequence[str], folder: Path, *, inside: bool) -> Sample:
    """Run a command in `folder`; where it times itself, `inside`, its own seconds are taken.

    The command writes into the folder, so that nothing lying in the current folder can be imported by it.
    """
    with (folder / STDOUT).open("wb") as out, (folder / STDERR).open("wb") as err:
        start = time.perf_counter()
        child = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    cpu = usage.ru_utime + usage.ru_stime
    error = failure(child.returncode, folder) if child.returncode else ""
    if inside and not error:
        own = json.loads((folder / STDOUT).read_text().splitlines()[-1])
        wall, cpu = own["wall"], own["cpu"]
    return Sample(wall, cpu, usage.ru_maxrss * BYTES_PER_UNIT / 2**20, os.getloadavg()[0], error)


def failure(code: int, folder: Path) -> str:
    """Return why a command failed: its exit code and the last line it wrote."""
    written = (folder / STDERR).read_text(errors="replace").split("\n")
    last = next((line for line in reversed(written) if line.strip()), "no message")
    return f"exit code {code}: {last.strip()}"


def warm(paths: Sequence[Path]) -> None:
    """Read files once, so that the first tool does not pay for the disk."""
    for path in paths:
        with path.open("rb", buffering=0) as file:
            while file.read(2**20):
                pass
