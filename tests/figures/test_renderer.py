"""The process that draws: its death is an error, and the next drawing starts another."""

import os
import signal
import subprocess
import sys
import threading
import time
from types import SimpleNamespace

import pytest

from rankscale.errors import MissingExtraError, RenderingError
from rankscale.figures.base import render_process, renderer
from rankscale.figures.base.renderer import render

SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="5" height="5"/></svg>'
PNG = b"\x89PNG"


def number() -> int:
    assert renderer._current.process is not None
    return renderer._current.process.pid


@pytest.fixture
def drawing():
    """The number of the process that draws, which has drawn once."""
    assert render("svg_to_png", SVG).startswith(PNG)
    return number()


def test_a_process_that_was_killed_is_an_error_and_the_next_drawing_starts_another(drawing):
    os.kill(drawing, signal.SIGKILL)
    with pytest.raises(RenderingError, match=r"ended by SIGKILL, most often because memory ran out"):
        render("svg_to_png", SVG)
    assert render("svg_to_png", SVG).startswith(PNG)


def test_one_process_draws_everything_and_says_what_it_cannot_draw(drawing):
    with pytest.raises(RenderingError, match="vl-convert cannot draw this figure: "):
        render("svg_to_png", "no drawing")
    assert render("svg_to_png", SVG).startswith(PNG)
    assert number() == drawing


def test_an_interrupt_while_drawing_is_answered_at_once(drawing):
    """And what was being drawn is not taken for what is drawn next."""
    os.kill(drawing, signal.SIGSTOP)
    goes_on = threading.Timer(20, lambda: os.kill(drawing, signal.SIGCONT))  # so that a failure does not hang
    goes_on.start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    blocked = signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    main = threading.get_ident()
    threading.Timer(0.05, lambda: signal.pthread_kill(main, signal.SIGINT)).start()
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            render("svg_to_png", SVG)
    finally:
        goes_on.cancel()
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 10
    assert render("svg_to_pdf", SVG).startswith(b"%PDF")


def test_a_forked_process_draws_by_itself(drawing):
    child = os.fork()
    if child == 0:
        try:
            is_right = render("svg_to_png", SVG).startswith(PNG) and number() != drawing
            renderer._current.end()
        finally:
            os._exit(0 if is_right else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert render("svg_to_png", SVG).startswith(PNG)


def test_where_there_is_no_python_to_start_it_draws_here(monkeypatch):
    library = SimpleNamespace(svg_to_pdf=lambda text, scale: f"{text} {scale}", javascript_bundle=lambda: "scripts")
    monkeypatch.setitem(sys.modules, "vl_convert", library)
    monkeypatch.setattr(renderer, "_installed", lambda: "")
    monkeypatch.setattr(sys, "executable", "")
    assert render("svg_to_pdf", "text", scale=2) == b"text 2"
    assert render_process.answer(library, "javascript_bundle", b"", {}) == b"scripts"


def test_what_is_not_installed_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=r"rankscale\[figures\]"):
        render("svg_to_png", SVG)


@pytest.mark.skipif(sys.platform != "linux", reason="limits of memory are those of Linux")
def test_too_little_memory_for_the_engine_is_an_error_with_exit_code_2(tmp_path):
    script = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30)); import sys\n"
        "sys.argv[1:] = ['figure', 'spacing', '-o', 'old.svg']; from rankscale.__main__ import main; main()"
    )
    (tmp_path / "old.svg").write_text("old")
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60
    )
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("rankscale: the process that draws figures (vl-convert) ended by SIG")
    assert (tmp_path / "old.svg").read_text() == "old"
    assert os.listdir(tmp_path) == ["old.svg"]


@pytest.mark.parametrize("kept", ["", "(function(){", "x" * 1_000_000, "\ud800"])
def test_a_bundle_that_was_cut_off_is_made_anew(kept, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(renderer, "version", lambda _: "1")
    monkeypatch.setattr(renderer, "render", lambda _: b"all of it")
    file = tmp_path / "rankscale" / "vega-1.js"
    file.parent.mkdir()
    file.write_bytes(kept.encode("utf-8", "surrogatepass"))
    assert renderer.bundle() == "all of it"
    written = file.read_bytes()
    monkeypatch.setattr(renderer, "render", None)  # it is not made again
    assert renderer.bundle() == "all of it"
    assert file.read_bytes() == written
