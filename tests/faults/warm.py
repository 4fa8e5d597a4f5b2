"""A process that has imported rankscale already, and forks one for each command: starting takes no time then.

`python -m tests.faults.warm FOLDER` takes requests as lines of JSON on standard input, and answers with lines of JSON;
it is started with the shim loaded, and `Warm` is the other end. What a command prints goes to files in FOLDER.
"""

import ctypes
import gc
import json
import mmap
import os
import pkgutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

APART = (
    "rankscale.__main__",
    "rankscale.compat",
    "rankscale.workbench",
    "rankscale.evaluation.engine",
    "rankscale.executors.dask",
)
INTERRUPTIBLE, ALL = 1, 3  # kinds of calls that the shim counts
SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER: what a killed command leaves running becomes our child
LONGEST = 300.0  # seconds
LIBRARIES = ("numpy", "scipy.stats", "scipy.special", "pyarrow", "pyarrow.parquet", "pyarrow.dataset", "jinja2", "rich")


@dataclass(frozen=True)
class Fault:
    """What happens to calls that change files under a folder: the call `at` and as many as `times` from there on."""

    folder: str
    at: int = 0  # none: calls are counted
    times: int = 1
    error: int = 0  # errno; 0: SIGKILL
    kinds: int = ALL


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int  # that of a signal is negative
    out: bytes
    err: str
    seconds: float
    calls: int = 0
    faults: int = 0


class Warm:
    """Commands in forks of one process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shim = folder / "shim.so"
        source = Path(__file__).with_name("shim.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", shim, source, "-ldl"], check=True)
        environment = {**os.environ, "LD_PRELOAD": str(shim), "XDG_CACHE_HOME": str(folder / "cache")}
        environment |= {"OPENBLAS_NUM_THREADS": "1"}
        for name in ("PYTHONUNBUFFERED", "PYTHONDONTWRITEBYTECODE"):
            environment.pop(name, None)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.warm", str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )

    def run(
        self,
        arguments: Sequence[str],
        fault: Fault | None = None,
        signals: Sequence[tuple[float, int]] = (),
        *,
        brief: bool = False,
    ) -> Ended:
        """Run a command; signals are sent after so many seconds each. A brief one leaves out the end of Python."""
        request = {
            "arguments": list(arguments),
            "fault": fault and vars(fault),
            "signals": list(signals),
            "brief": brief,
        }
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        err = (self.folder / "stderr").read_text("utf-8", "replace")
        return Ended(out=(self.folder / "stdout").read_bytes(), err=err, **answer)

    def close(self) -> int:
        """End it; how many processes that commands started still run after a while."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait()


def main() -> None:
    folder = sys.argv[1]
    _import_all()
    ctypes.CDLL(None).prctl(SUBREAPER, 1, 0, 0, 0)
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # as it is for a program before its first line
    gc.collect()
    gc.freeze()  # forks share what is there
    shared = mmap.mmap(-1, 16)
    for line in sys.stdin:
        request = json.loads(line)
        shared[:] = bytes(16)
        started = time.monotonic()
        child = os.fork()
        if child == 0:
            return _command(request, folder, shared)
        code = _watched(child, started, request["signals"])
        counts = [int.from_bytes(shared[place : place + 8], "little") for place in (0, 8)]
        seconds = time.monotonic() - started
        print(json.dumps({"code": code, "seconds": seconds, "calls": counts[0], "faults": counts[1]}), flush=True)
    sys.exit(_left_running())


def _import_all() -> None:
    """All of rankscale but what needs other extras, and the libraries that it imports when it needs them."""
    import rankscale

    for name in LIBRARIES:
        import_module(name)
    for module in pkgutil.walk_packages(rankscale.__path__, "rankscale."):
        if not module.name.startswith(APART):
            import_module(module.name)


def _command(request: dict[str, Any], folder: str, shared: mmap.mmap) -> None:
    """In the child: be the command, from its first line to the end of Python."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD})
    inputs = os.open(os.devnull, os.O_RDONLY)
    os.dup2(inputs, 0)
    for place, name in ((1, "stdout"), (2, "stderr")):
        file = os.open(f"{folder}/{name}", os.O_CREAT | os.O_TRUNC | os.O_WRONLY | os.O_APPEND)
        os.dup2(file, place)
        os.close(file)
    os.close(inputs)
    sys.argv = ["rankscale", *request["arguments"]]
    if fault := request["fault"]:
        buffer = ctypes.c_char.from_buffer(shared)
        ctypes.CDLL(None).faults_set(
            os.fsencode(fault["folder"]),
            ctypes.byref(buffer),
            ctypes.c_long(fault["at"]),
            ctypes.c_long(fault["times"]),
            fault["error"],
            fault["kinds"],
        )
    from rankscale.__main__ import main as rankscale

    if not request["brief"]:
        return rankscale()
    try:
        rankscale()
    except SystemExit as ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(ended.code if isinstance(ended.code, int) else bool(ended.code))


def _watched(child: int, started: float, signals: list[tuple[float, int]]) -> int:
    """Send signals when they are due, and wait for the end; what takes too long is killed, code 0 - SIGXCPU."""
    due = sorted(signals)
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        now = time.monotonic() - started
        if now > LONGEST:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGXCPU
        while due and due[0][0] <= now:
            os.kill(child, due.pop(0)[1])
        wait = due[0][0] - now if due else 1.0
        with suppress(InterruptedError):
            signal.sigtimedwait({signal.SIGCHLD}, max(0.0, min(wait, 1.0)))


def _left_running() -> int:
    """How many processes are still there some seconds after those that started them."""
    for _ in range(50):
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        left = [text for path in Path("/proc/self/task").glob("*/children") for text in path.read_text().split()]
        if not left:
            return 0
        time.sleep(0.1)
    return min(len(left), 100)


if __name__ == "__main__":
    main()
