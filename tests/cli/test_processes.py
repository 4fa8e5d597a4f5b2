"""The program in a process of its own: standard input, signals, pipes, terminals."""

import array
import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import sysconfig
import termios
import time
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def test_a_run_on_standard_input(program: Any, qrels: Path, good: Path) -> None:
    from_file = program("evaluate", qrels, good, "-q", "--format", "tsv")
    from_input = program("evaluate", qrels, "-", "-q", "--format", "tsv", stdin=good.read_bytes())
    assert from_input.code == 0
    assert from_input.raw == from_file.raw


def test_qrels_on_standard_input(program: Any, qrels: Path, good: Path) -> None:
    from_file = program("evaluate", qrels, good, "-q", "--format", "tsv")
    from_input = program("evaluate", "-", good, "-q", "--format", "tsv", stdin=qrels.read_bytes())
    assert from_input.code == 0
    assert from_input.raw == from_file.raw


def test_standard_input_may_be_packed(program: Any) -> None:
    packed = program("evaluate", QRELS, "-", "-m", "AP", "--format", "tsv", stdin=RUNS[0].read_bytes())
    assert packed.raw == program("evaluate", QRELS, RUNS[0], "-m", "AP", "--format", "tsv").raw


def test_standard_input_cannot_be_read_twice(program: Any, qrels: Path, good: Path) -> None:
    for arguments in (("-", "-"), (qrels, "-", "-")):
        outcome = program(
            "evaluate", *arguments, stdin=good.read_bytes() if arguments[0] != "-" else qrels.read_bytes()
        )
        assert (outcome.code, outcome.raw) == (2, b"")
        assert "standard input" in outcome.err
        assert "twice" in outcome.err or "once" in outcome.err  # it says why, not that there was no line


def test_an_empty_standard_input(program: Any, qrels: Path) -> None:
    outcome = program("evaluate", qrels, "-")
    assert (outcome.code, outcome.raw) == (2, b"")
    assert outcome.err.startswith("rankscale: standard input: ")


def unread(pipe: Any) -> int:
    """How many bytes the other side has not read yet."""
    count = array.array("i", [0])
    fcntl.ioctl(pipe, termios.FIONREAD, count)
    return count[0]


def test_ctrl_c_ends_with_130_and_one_line(qrels: Path, good: Path) -> None:
    waiting = subprocess.Popen(
        [SCRIPT, "evaluate", qrels, "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert waiting.stdin
    assert waiting.stdout
    assert waiting.stderr
    try:
        waiting.stdin.write(good.read_bytes())
        waiting.stdin.flush()
        patience = time.monotonic() + 60
        while unread(waiting.stdin) and time.monotonic() < patience:
            time.sleep(0.02)
        time.sleep(0.1)  # it reads on, and waits
        waiting.send_signal(signal.SIGINT)
        assert waiting.wait(timeout=60) == 130
        assert waiting.stdout.read() == b""
        assert waiting.stderr.read() == b"rankscale: stopped\n"
    finally:
        waiting.kill()
        for stream in (waiting.stdin, waiting.stdout, waiting.stderr):
            stream.close()
        waiting.wait()


@pytest.mark.parametrize(
    "arguments",
    [
        ["evaluate", QRELS, *RUNS[:12], "-q", "-m", "all_trec", "--format", "tsv"],
        ["measures"],
        ["demo", "-o", os.devnull],
    ],
    ids=["evaluate", "measures", "demo"],
)
def test_a_reader_that_has_seen_enough(arguments: list[Any]) -> None:
    writing = subprocess.Popen([SCRIPT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writing.stdout
    assert writing.stderr
    if arguments[0] == "evaluate":
        assert writing.stdout.readline() == b"run\ttopic\tmeasure\tvalue\n"
    writing.stdout.close()  # before all is written: the rest fills more than a pipe holds, or comes later
    error = writing.stderr.read()
    writing.stderr.close()
    assert writing.wait(timeout=60) == 0
    assert [line for line in error.splitlines() if not line.startswith(b"warning: ")] == []


def test_no_escape_codes_where_nobody_looks_on(program: Any) -> None:
    for arguments in (["evaluate", QRELS, *RUNS], ["measures"], ["demo", "-o", os.devnull], ["--help"], ["nope"]):
        outcome = program(*arguments, env={"TERM": "xterm-256color", "FORCE_COLOR": "0"})
        assert "\x1b" not in outcome.out
        assert "\x1b" not in outcome.err


def on_a_terminal(*arguments: object, env: dict[str, str]) -> tuple[bytes, bytes]:
    """What goes to standard output, a pipe, and to standard error, a terminal."""
    ours, theirs = pty.openpty()
    started = subprocess.Popen(
        [SCRIPT, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "TERM": "xterm-256color", **env},
    )
    os.close(theirs)
    assert started.stdout
    out = started.stdout.read()
    started.stdout.close()
    shown = all_of(ours)
    assert started.wait(timeout=60) == 0
    return out, shown


def all_of(terminal: int) -> bytes:
    """What was written to a terminal until its other side was closed."""
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 4096)
        except OSError:  # how Linux says that a terminal is closed
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return shown


def read_on_a_terminal(*arguments: object, columns: int = 80, env: dict[str, str] | None = None) -> str:
    """What a person sees whose terminal, so many columns wide, is standard output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    clean = {name: value for name, value in os.environ.items() if name not in {"COLUMNS", "NO_COLOR"}}
    started = subprocess.Popen(
        [SCRIPT, *map(str, arguments)],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**clean, "TERM": "xterm-256color", **(env or {})},
    )
    os.close(theirs)
    shown = all_of(ours)
    assert started.wait(timeout=60) == 0
    return shown.decode().replace("\r\n", "\n")


def test_a_table_fits_the_terminal_and_a_pipe_has_it_whole(program: Any) -> None:
    arguments = ("evaluate", QRELS, *RUNS[:4])
    whole = program(*arguments).out
    shown = ESCAPE.sub("", read_on_a_terminal(*arguments, columns=60))
    assert max(map(len, shown.splitlines())) <= 60 < max(map(len, whole.splitlines()))
    assert "Left out to fit 60 columns: Judged@10; --format tsv shows\nit." in shown
    assert ESCAPE.sub("", read_on_a_terminal(*arguments, columns=120)) == whole


def test_the_best_is_bold_unless_no_color_is_set() -> None:
    arguments = ("evaluate", QRELS, *RUNS[:4], "-m", "AP")
    best = max(rs.evaluate(QRELS, RUNS[:4], "AP").means().values[0])
    assert f"\x1b[1m{best:.4f}\x1b[0m" in read_on_a_terminal(*arguments)
    assert "\x1b" not in read_on_a_terminal(*arguments, env={"NO_COLOR": "1"})
    assert "\x1b" not in read_on_a_terminal(*arguments, env={"TERM": "dumb"})


def test_sparklines_are_ascii_where_the_encoding_has_no_blocks() -> None:
    arguments = ("evaluate", QRELS, RUNS[0], "-m", "AP", "--sparklines")
    assert "▁" in read_on_a_terminal(*arguments, env={"PYTHONIOENCODING": "utf-8"})
    assert read_on_a_terminal(*arguments, env={"PYTHONIOENCODING": "ascii"}).isascii()


def test_a_pipe_sees_the_results_alone() -> None:
    out, shown = on_a_terminal("evaluate", QRELS, *RUNS, "-m", "AP", env={"COLUMNS": "40"})
    assert b"\x1b" not in out
    assert out.startswith(b"run ")
    assert out.count(b"\n") == 1 + len(RUNS)
    warning = shown.decode().replace("\r\n", "\n").split("warning: ")[-1]
    assert len(warning.splitlines()) > 2, "sentences are wrapped on a terminal"


def test_names_from_files_cannot_drive_a_terminal(written: Any) -> None:
    qrels = written("qrels", "1\x1b[31m 0 a 1 / 2 0 a 1")
    run = written("run", "2 Q0 a 1 1 tag\x1b[2J")
    out, shown = on_a_terminal("evaluate", qrels, run, "-m", "AP", env={"NO_COLOR": "1", "COLUMNS": "500"})
    assert b"\x1b" not in out
    assert b"missing from" in shown
    assert b"\x1b[31m" not in shown
    assert "\x1b[2J" not in read_on_a_terminal("evaluate", qrels, run, "-m", "AP")
