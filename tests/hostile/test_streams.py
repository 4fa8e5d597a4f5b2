"""Standard streams that are closed, and interrupts: no traceback, and nothing among the results that is none."""

import os
import signal
import subprocess
import sys
from time import sleep

import pytest

RANKSCALE = f"{sys.executable} -m rankscale"
EVALUATE = f"{RANKSCALE} evaluate qrels run -m AP"


@pytest.fixture
def shell(written, tmp_path):
    """Run a line of the shell where there are qrels, and a run that lacks a topic of theirs."""
    written("qrels", "1 0 a 1 / 2 0 b 1")
    written("run", "1 Q0 a 1 2 t")

    def run(line: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["sh", "-c", line], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=120
        )

    return run


def test_a_closed_standard_error_leaves_the_results_alone(shell, tmp_path):
    usual, closed = shell(EVALUATE), shell(f"{EVALUATE} 2>&-")
    assert "missing from run" in usual.stderr
    assert (closed.returncode, closed.stdout) == (0, usual.stdout)
    assert shell(f"{EVALUATE} -o values.tsv 2>&-").returncode == 0
    assert (tmp_path / "values.tsv").read_text() == "run\ttopic\tmeasure\tvalue\nt\tall\tAP\t0.5\n"


def test_a_closed_standard_output_is_an_error_in_words(shell, tmp_path):
    closed = shell(f"{EVALUATE} >&-")
    assert closed.returncode == 2
    assert closed.stderr.splitlines()[-1] == "rankscale: standard output is closed; name a file with -o"
    assert shell(f"{EVALUATE} -o values.tsv >&-").returncode == 0
    assert (tmp_path / "values.tsv").exists()


@pytest.mark.parametrize("closed", ["<&-", ">&- 2>&-", "<&- >&- 2>&-", "2>&- <&-"])
def test_any_closed_streams_end_with_a_code_that_is_documented(closed, shell):
    for line in (
        f"{EVALUATE} {closed}",
        f"{RANKSCALE} evaluate qrels - {closed}",
        f"{RANKSCALE} evaluate no run {closed}",
    ):
        ended = shell(line)
        assert ended.returncode in {0, 2}, line
        assert "Traceback" not in ended.stdout + ended.stderr


@pytest.mark.parametrize("options", ["--help", "--version", "measures"])
def test_a_reader_that_has_gone_is_no_error(options, tmp_path):
    reads, writes = os.pipe()
    os.close(reads)
    try:
        line = [*RANKSCALE.split(), *options.split()]
        ended = subprocess.run(line, cwd=tmp_path, stdout=writes, stderr=subprocess.PIPE, check=False, timeout=120)
    finally:
        os.close(writes)
    assert (ended.returncode, ended.stderr) == (0, b"")


@pytest.mark.parametrize("after", [0.02, 0.05, 0.1, 0.15, 0.3])
def test_an_interrupt_at_any_time_leaves_no_traceback(after, tmp_path):
    """While Python itself starts, it is Python that speaks: that is not looked at."""
    started = (
        "import sys, runpy, rankscale; print('x', flush=True); sys.argv[1:] = ['demo']\n"
        "runpy.run_module('rankscale', run_name='__main__')"
    )
    for _ in range(5):  # a machine with much else to do may let the command end before it is interrupted
        command = subprocess.Popen(
            [sys.executable, "-c", started], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert command.stdout is not None
        command.stdout.readline()
        sleep(after)
        command.send_signal(signal.SIGINT)
        _, said = command.communicate(timeout=120)
        if command.returncode != 0:
            break
    assert command.returncode in {130, -signal.SIGINT}
    assert "Traceback" not in said
