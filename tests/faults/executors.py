"""Kill processes of a job at random times, many times, and compare its output byte for byte.

`python -m tests.faults executors --workers 100` kills one worker of each of 100 jobs (SIGKILL); `--whole 50` kills 50
jobs and resumes them with --resume. `--executor` says where they run. The seed makes the times of kills those of
another day; how far a job has come by then depends on the machine. Exit code 1 if any output differs.
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
from pathlib import Path

from rankscale.sample import QRELS, RUNS

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"
JOB = ["robustness", str(QRELS), *map(str, RUNS), "-m", "AP", "-m", "nDCG@10", "--iterations", "30", "--format", "json"]


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
    assert _run(job) == expected, "the output differs before anything is killed"
    takes = time.monotonic() - started
    print(f"the job takes {takes:.1f} s", flush=True)
    wrong = 0
    for number in range(given.workers):
        output, killed = b"", ""
        while not killed:  # where it was done by then
            output, killed = _with_a_worker_killed(job, takes * chance.random(), chance)
        wrong += output != expected
        print(f"worker {number + 1}: killed {killed}, {'same' if output == expected else 'OTHER'} bytes", flush=True)
    for number in range(given.whole):
        output, kept = _killed_and_resumed(job, takes * chance.random())
        wrong += output != expected
        same = "same" if output == expected else "OTHER"
        print(f"whole {number + 1}: {kept} results were kept, {same} bytes", flush=True)
    print(f"{given.workers + given.whole} kills, {wrong} wrong outputs")
    return 1 if wrong else 0


def _command(options: list[str]) -> list[str]:
    return [str(SCRIPT), *JOB, *options]


def _run(options: list[str]) -> bytes:
    return subprocess.run(_command(options), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout


def _with_a_worker_killed(options: list[str], after: float, chance: random.Random) -> tuple[bytes, str]:
    """The output of a job of which one worker is killed at a time, or as soon as there is one; and when that was."""
    with tempfile.TemporaryFile() as output:
        started = time.monotonic()
        with subprocess.Popen(_command(options), stdout=output, stderr=subprocess.DEVNULL) as process:
            killed = ""
            while process.poll() is None:
                workers = _workers(process.pid) if time.monotonic() >= started + after else []
                if workers:
                    os.kill(chance.choice(workers), signal.SIGKILL)
                    killed = f"after {time.monotonic() - started:.2f} s"
                    break
                time.sleep(0.01)
        output.seek(0)
        return output.read() if process.returncode == 0 else b"", killed


def _workers(parent: int) -> list[int]:
    """Processes that a job has started for its work."""
    try:
        lists = [path.read_text() for path in Path(f"/proc/{parent}/task").glob("*/children")]
        children = [int(pid) for text in lists for pid in text.split()]
        return [pid for pid in children if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _killed_and_resumed(options: list[str], after: float) -> tuple[bytes, int]:
    """The output of a job that is killed after some time, and then given again; and the results it had by then."""
    folder = tempfile.mkdtemp()
    try:
        resuming = [*options, "--resume", f"{folder}/job"]
        with subprocess.Popen(
            _command(resuming), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            time.sleep(after)
            process.send_signal(signal.SIGKILL)
        kept = len(list(Path(folder).glob("job/*/*.result")))
        return _run(resuming), kept
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
