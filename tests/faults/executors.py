"""Kill processes of a job at random times, many times, and compare its output byte for byte.

`python -m tests.faults executors --workers 100` kills one worker of each of 100 jobs (SIGKILL): every other one at a
random time after its workers have started, the rest when the job has kept a random number of results. `--whole 50`
kills 50 jobs, each when it has kept some of its results, and resumes them. A job that ends before it is killed does not
count. `--executor` says where jobs run; `--seed` makes other choices. Exit code 1 if any output differs.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from rankscale.sample import QRELS, RUNS

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"
JOB = [
    *("robustness", str(QRELS), *map(str, RUNS[:8]), "-m", "AP", "-m", "nDCG@10"),
    *("--iterations", "10", "--format", "json"),
]


def main() -> int:
    """Kill, compare, and say how often all was well."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=0, metavar="N", help="jobs of which a worker is killed")
    parser.add_argument("--whole", type=int, default=0, metavar="N", help="jobs that are killed and resumed")
    parser.add_argument("--executor", default="processes:2", help="where they run")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    chance = random.Random(given.seed)
    expected = _run([])
    job = ["--executor", given.executor]
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        assert _run([*job, "--resume", folder]) == expected, "the output differs before anything is killed"
        results = _kept(folder)
    takes = time.monotonic() - started
    print(f"the job takes {takes:.1f} s and keeps {results} results", flush=True)
    kinds = [_worker_killed_at_a_time, _worker_killed_at_a_result]
    kills = [("worker", kinds[number % 2]) for number in range(given.workers)] + [
        ("whole", _killed_whole)
    ] * given.whole
    wrong = 0
    for number, (what, kill) in enumerate(kills):
        output, killed = b"", ""
        while not killed:  # where it was done by then
            output, killed = kill(job, takes, results, chance)
        wrong += output != expected
        same = "same" if output == expected else "OTHER"
        print(f"{number + 1}, {what}: killed {killed}, {same} bytes", flush=True)
    print(f"{len(kills)} kills, {wrong} wrong outputs")
    return 1 if wrong else 0


def _command(options: list[str]) -> list[str]:
    return [str(SCRIPT), *JOB, *options]


def _run(options: list[str]) -> bytes:
    return subprocess.run(_command(options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def _worker_killed_at_a_time(job: list[str], takes: float, _results: int, chance: random.Random) -> tuple[bytes, str]:
    """The output of a job of which one worker is killed some time after it has workers; and when that was."""
    after, started = takes * chance.random(), 0.0

    def is_due(workers: list[int]) -> bool:
        nonlocal started
        started = started or (time.monotonic() if workers else 0.0)
        return bool(workers) and time.monotonic() >= started + after

    output, is_killed = _with_a_worker_killed(job, is_due, chance)
    return output, f"after {after:.2f} s of work" if is_killed else ""


def _worker_killed_at_a_result(job: list[str], _takes: float, results: int, chance: random.Random) -> tuple[bytes, str]:
    """The output of a job of which one worker is killed when it has so many results; and how many these were."""
    least, kept = chance.randrange(results), 0

    def is_due(workers: list[int]) -> bool:
        nonlocal kept
        kept = _kept(folder)
        return bool(workers) and kept >= least

    with tempfile.TemporaryDirectory() as folder:
        output, is_killed = _with_a_worker_killed([*job, "--resume", folder], is_due, chance)
    return output, f"at {kept} of {results} results" if is_killed else ""


def _with_a_worker_killed(
    options: list[str], is_due: Callable[[list[int]], bool], chance: random.Random
) -> tuple[bytes, bool]:
    """The output of a job of which one worker is killed once that is due; whether it was."""
    with tempfile.TemporaryFile() as output:
        is_killed = False
        with subprocess.Popen(_command(options), stdout=output, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and not is_killed:
                if is_due(workers := _workers(process.pid)):
                    with suppress(ProcessLookupError):
                        os.kill(chance.choice(workers), signal.SIGKILL)
                        is_killed = True
                time.sleep(0.01)
        output.seek(0)
        return output.read() if process.returncode == 0 else b"", is_killed


def _workers(parent: int) -> list[int]:
    """Processes that a job has started for its work."""
    try:
        lists = [path.read_text() for path in Path(f"/proc/{parent}/task").glob("*/children")]
        children = [int(pid) for text in lists for pid in text.split()]
        return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _killed_whole(job: list[str], _takes: float, results: int, chance: random.Random) -> tuple[bytes, str]:
    """The output of a job that is killed when it has so many results, and then resumed; and how many these were."""
    least = chance.randrange(1, results)
    folder = tempfile.mkdtemp()
    try:
        options = [*job, "--resume", folder]
        with subprocess.Popen(
            _command(options), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            while process.poll() is None and _kept(folder) < least:
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
        if process.returncode != -signal.SIGKILL:
            return b"", ""
        kept = _kept(folder)
        return _run(options), f"at {kept} of {results} results"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _kept(folder: str) -> int:
    """How many results a job has kept."""
    return len(list(Path(folder).glob("*/*.result")))


if __name__ == "__main__":
    sys.exit(main())
