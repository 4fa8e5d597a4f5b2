"""The reader among signals, forks and other processes."""

import gzip
import os
import signal
import subprocess
import sys
import time

import pytest

from tests.inputs.example import qrels_text, run_text

HANG = 120.0  # seconds; whoever takes longer does not end at all
SOON = 3.0  # seconds on a busy machine for what takes 0.1 on a quiet one

INTERRUPTED = """
import sys
from rankscale.inputs import trec
{work}
"""
WAITING_FOR_RUN = 'trec.read_run(QRELS, "-")'
WAITING_FOR_QRELS = 'print("reading", flush=True); trec.read_qrels("-")'
PREPARED = 'QRELS = trec.read_qrels(b"1 0 a 1\\n"); print("reading", flush=True); '


def interrupt(work: str) -> tuple[float, int, bytes]:
    """Seconds from Ctrl-C to the end of a process that reads, its exit code, and what it said."""
    command = [sys.executable, "-c", INTERRUPTED.format(work=work)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        time.sleep(0.3)
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        try:
            process.wait(HANG)  # standard input stays open all the while
        except subprocess.TimeoutExpired:
            process.kill()
            pytest.fail(f"still there {HANG:g} s after Ctrl-C")
        took = time.monotonic() - began
        assert process.stderr is not None
        return took, process.returncode, process.stderr.read()


@pytest.mark.parametrize("work", [PREPARED + WAITING_FOR_RUN, WAITING_FOR_QRELS], ids=["run", "qrels"])
def test_ctrl_c_ends_waiting_for_standard_input(work):
    took, code, said = interrupt(work)
    assert said.rstrip().endswith(b"KeyboardInterrupt")
    assert code == -signal.SIGINT
    assert took < SOON


@pytest.mark.parametrize(
    "reader", ["trec.read_run(QRELS, {path!r})", "trec.read_qrels({path!r})"], ids=["run", "qrels"]
)
def test_ctrl_c_ends_reading_a_file(tmp_path, reader):
    path = tmp_path / "large.gz"
    # Half a minute of work at the very least, and a few megabytes on disk.
    member = gzip.compress(b"\n" * 50_000_000, 6)
    with path.open("wb") as out:
        for _ in range(100):
            out.write(member)
    took, code, said = interrupt(PREPARED + reader.format(path=str(path)).replace(")", ", max_size=1 << 50)"))
    assert said.rstrip().endswith(b"KeyboardInterrupt")
    assert code == -signal.SIGINT
    assert took < SOON


def test_after_ctrl_c_the_process_reads_on():
    work = PREPARED + (
        "\ntry: trec.read_run(QRELS, '-')\n"
        "except KeyboardInterrupt: pass\n"
        "run = trec.read_run(QRELS, b'1 Q0 a 1 2 t\\n')\n"
        "print(run, file=sys.stderr)"
    )
    _, code, said = interrupt(work)
    assert (code, said) == (0, b"<Run t: 1 topics, 1 documents, 1 judged>\n")


FORKING = """
import os, sys, rankscale
from rankscale.inputs import trec
qrels = trec.read_qrels(sys.argv[1])
before = list(trec.read_runs(qrels, [sys.argv[2]] * 8, threads=4))
child = os.fork()
if child == 0:
    after = list(trec.read_runs(qrels, [sys.argv[2]] * 8, threads=4))
    again = trec.read_qrels(sys.argv[1])
    os._exit(0 if after == before and again == qrels else 1)
_, status = os.waitpid(child, 0)
here = list(trec.read_runs(qrels, [sys.argv[2]] * 8, threads=4))
sys.exit(os.waitstatus_to_exitcode(status) or here != before)
"""


def test_the_child_of_a_process_that_used_threads_reads_runs(tmp_path):
    (tmp_path / "qrels").write_bytes(qrels_text())
    (tmp_path / "run").write_bytes(run_text())
    command = [sys.executable, "-c", FORKING, str(tmp_path / "qrels"), str(tmp_path / "run")]
    assert subprocess.run(command, check=False, timeout=HANG).returncode == 0


LEFT_BEHIND = """
import os, sys, time
from rankscale.inputs import trec
def open_now():
    return len(os.listdir("/proc/self/task")), len(os.listdir("/proc/self/fd"))
before = open_now()
qrels = trec.read_qrels(sys.argv[1])
for _ in range(20):
    list(trec.read_runs(qrels, [sys.argv[2]] * 4, threads=4))
    next(trec.read_runs(qrels, [sys.argv[2]] * 4, threads=4))  # and the others are not wanted
ends = time.monotonic() + 10
while open_now() != before and time.monotonic() < ends:  # threads end a moment after their answer
    time.sleep(0.01)
print(before, open_now())
"""


def test_reading_leaves_no_thread_and_no_open_file_behind(tmp_path):
    (tmp_path / "qrels").write_bytes(qrels_text())
    (tmp_path / "run").write_bytes(run_text())
    command = [sys.executable, "-c", LEFT_BEHIND, str(tmp_path / "qrels"), str(tmp_path / "run")]
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}
    said = subprocess.run(command, capture_output=True, check=True, timeout=HANG, env=environment).stdout.decode()
    before, after = said.strip()[1:-1].split(") (")
    assert after == before


PEAK = """
import sys
from rankscale.inputs import trec
qrels = trec.read_qrels(b"".join(b"t%d 0 document-0007 1\\n" % topic for topic in range(1_000)))
run = trec.read_run(qrels, sys.argv[1])
# not ru_maxrss, which remembers the process that started this one
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(run.length.sum(), peak)
"""


def peak(path) -> tuple[int, int]:
    """Documents read, and the most memory (KiB) that took."""
    done = subprocess.run([sys.executable, "-c", PEAK, str(path)], capture_output=True, check=True, timeout=120)
    documents, memory = map(int, done.stdout.split())
    return documents, memory


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_memory_does_not_grow_with_the_documents_that_nobody_judged(tmp_path):
    small, large = tmp_path / "small", tmp_path / "large"
    small.write_bytes(_many_topics(20))
    large.write_bytes(_many_topics(1_000))
    assert large.stat().st_size > 25_000_000
    (few, little), (many, more) = peak(small), peak(large)
    assert (few, many) == (20_000, 1_000_000)
    # 30 MB of names, of which one topic's worth is held at a time
    assert more < little + 8_000


def _many_topics(topics: int) -> bytes:
    """Rankings of a thousand documents; only the name of the topic differs."""
    ranking = b"".join(b"@ Q0 document-%04d %d %d t\n" % (number, number, -number) for number in range(1_000))
    return b"".join(ranking.replace(b"@", b"t%d" % topic) for topic in range(topics))
