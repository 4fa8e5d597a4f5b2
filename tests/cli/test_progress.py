"""Progress: which file is read, and how far work has come, shown only where standard error is a terminal."""

import io
import sys
import time

import pytest

from rankscale.cli import terminal as shown_on
from rankscale.data.resources import set_listener
from rankscale.inputs.check.check import check
from rankscale.inputs.files import announce, watching
from rankscale.inputs.read import read_qrels, read_runs
from rankscale.sample import QRELS, RUNS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def look_on(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Make standard error a terminal, on which progress is shown at once."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)  # within the test: pytest puts its own in place before
    monkeypatch.setattr(shown_on, "DELAY", 0.0)
    monkeypatch.setattr(shown_on, "REFRESH", 0.0)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm")
    return shown


def wait_for(terminal: Terminal, text: str) -> bool:
    end = time.monotonic() + 60
    while text not in terminal.getvalue() and time.monotonic() < end:
        time.sleep(0.01)
    return text in terminal.getvalue()


def test_every_file_is_announced_in_order() -> None:
    seen: list[tuple[str, str, int, int]] = []
    with watching(lambda *file: seen.append(file)):
        read_runs(read_qrels(QRELS), RUNS[:3])
    names = [str(path) for path in RUNS[:3]]
    runs = [("run", name, place, 3) for place, name in enumerate(names, start=1)]
    assert seen == [("qrels", str(QRELS), 1, 1), *runs, ("", "", 3, 3)]
    seen.clear()
    with watching(lambda *file: seen.append(file)):
        check(RUNS[:3])
    assert [file for file in seen if file[0]] == runs
    read_runs(read_qrels(QRELS), RUNS[:1])
    assert len(seen) == 3, "nobody watches outside the block"


def test_a_terminal_is_told_which_file_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = look_on(monkeypatch)
    with shown_on.showing_progress():
        announce("run", "runs/bm25\x1b[31m.txt", 3, 24)
        assert wait_for(terminal, "reading run 3 of 24: bm25\ufffd[31m.txt")
        with shown_on.progress_bar("testing pairs") as step:
            assert step is not None
            step(2, 10)
        assert wait_for(terminal, "testing pairs, 2 of 10")
        shown_on.hide_progress()
        before = terminal.getvalue()
    assert terminal.getvalue() == before, "the line was wiped already"


def test_nobody_is_told_where_standard_error_is_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with shown_on.showing_progress():
        announce("run", "bm25.txt", 3, 24)
        with shown_on.progress_bar(predicts=False) as step:
            assert step is None
    assert capsys.readouterr().err == ""


def test_short_work_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = look_on(monkeypatch)
    monkeypatch.setattr(shown_on, "DELAY", 60.0)
    with shown_on.showing_progress():
        announce("run", "bm25.txt", 1, 2)
    assert terminal.getvalue() == ""


@pytest.mark.parametrize(
    ("steps", "announced"),
    [
        ([(4.0, 1), (4.1, 2), (5.1, 21)], []),  # processes took 4 s to start; 50 steps take 7 s, not 200 s
        ([(1.0, 1), (2.0, 2)], ["measuring runs will take about 50 s"]),
        ([(20.0, 1)], ["measuring runs will take about 17 minutes"]),
    ],
)
def test_what_the_start_of_processes_takes_is_not_predicted_of_every_step(
    steps: list[tuple[float, int]], announced: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, heard = 100.0, list[str]()
    monkeypatch.setattr(time, "monotonic", lambda: clock)
    set_listener(heard.append)
    try:
        with shown_on.progress_bar() as show:
            assert show is not None
            for seconds, done in steps:
                clock = 100.0 + seconds
                show(done, 50)
    finally:
        set_listener(None)
    assert heard == announced
