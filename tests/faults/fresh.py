"""Commands in processes of their own, as a shell starts them: with limits, closed streams, inputs that change."""

import os
import signal
import subprocess
import sysconfig
import time
from collections.abc import Sequence
from pathlib import Path

from tests.faults.warm import Ended

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "rankscale")
LONGEST = 120.0  # seconds
OTHER_LINES = (  # commands that write nothing, beside those of `cases`
    "--help",
    "--version",
    "evaluate --help",
    "evaluate Q A B C -m AP",
    "evaluate Q A B C --format json",
    "curves Q A -m nDCG",
    "compare Q A B C -m AP",
    "check A B --qrels Q",
    "measures",
    "measures nDCG",
    "completion bash",
    "trec_eval Q A",
    "trec_eval -q -m all_trec Q A",
    "scale AP@5",
    "intervals Q A B C -m RR@3",
    "overlap A B C",
)


def run_fresh(
    arguments: Sequence[str],
    cache: Path,
    *,
    limit: int | None = None,
    shell: str = "",
    unbuffered: bool = False,
) -> Ended:
    """Run a command, in so many bytes of address space; `shell` follows it on the shell's line, such as `2>&-`."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    environment.pop("PYTHONUNBUFFERED", None)
    if unbuffered:
        environment["PYTHONUNBUFFERED"] = "1"
    command = [SCRIPT, *arguments]
    if shell:
        command = ["bash", "-c", f'set -o pipefail; "$@" {shell}', "bash", *command]
    if limit is not None:
        command = ["bash", "-c", f'ulimit -c 0; ulimit -v {limit >> 10}; exec "$@"', "bash", *command]
    started = time.monotonic()
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment
    )
    try:
        out, err = process.communicate(timeout=LONGEST)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        code = -signal.SIGXCPU
    return Ended(code, out, err.decode("utf-8", "replace"), time.monotonic() - started)
