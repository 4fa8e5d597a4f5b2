"""vl-convert, which brings Vega, in a process of its own: where its engine dies, that is an error like any other."""

import atexit
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from threading import Lock
from typing import Any

from rankscale.data.resources import announce, need, size_text
from rankscale.errors import MissingExtraError, RenderingError
from rankscale.figures.base import render_process
from rankscale.outputs.files import write_chunks

DIED = (
    "the process that draws figures (vl-convert) ended {how}, most often because memory ran out: its JavaScript engine "
    "needs some gigabytes of address space and about 150 MB of memory; allow more, draw less, or write the data drawn "
    "(.tsv, .csv) or the specification (.json)"
)
DRAWN_BYTES, DRAWN_SECONDS = 35, 3e-7  # of the engine, for each byte of a specification
PACKAGE = "vl-convert-python"
WHOLE = "\n// whole\n"  # the end of a file that is


def render(call: str, text: str = "", **options: object) -> bytes:
    """Call a function of vl-convert with a text.

    Parameters
    ----------
    call
        Name of the function, such as 'vegalite_to_svg'.
    text
        Its first argument; without one, none is passed.
    **options
        Its other arguments.

    Returns
    -------
    bytes
        What it made; text as UTF-8.

    Raises
    ------
    RenderingError
        If the process that draws ends, or vl-convert refuses the text.
    MissingExtraError
        If vl-convert is not installed.
    """
    folder = _installed()
    what = f"drawing a figure of {size_text(len(text))} of data"
    need(len(text) * DRAWN_BYTES, what, "draw less, or write the data drawn (.tsv, .csv) or the specification (.json)")
    announce(len(text) * DRAWN_SECONDS, what)
    with _current.lock:
        if not sys.executable or getattr(sys, "frozen", False):  # no Python to start: drawn here
            return render_process.answer(import_module("vl_convert"), call, text.encode(), options)
        return _current.request(folder, call, text.encode(), options)


def _installed() -> str:
    """The folder that vl-convert is in, which is not imported for that; MissingExtraError where there is none."""
    spec = None
    with suppress(ValueError):  # it is there, and not to be imported
        spec = find_spec("vl_convert")
    if spec is None or not spec.submodule_search_locations:
        raise MissingExtraError("a figure", "vl_convert", "figures")
    return os.path.dirname(os.path.abspath(spec.submodule_search_locations[0]))


class _Renderer:
    """The process that draws for this one, once there is one: one request after the other."""

    def __init__(self) -> None:
        self.process: subprocess.Popen[bytes] | None = None
        self.lock = Lock()  # one drawing at a time

    def request(self, folder: str, call: str, content: bytes, options: dict[str, object]) -> bytes:
        """What the other process answers, which is started where there is none; RenderingError where it ends."""
        if self.process is None:
            # Isolated, and without what site adds: it starts in a hundredth of a second.
            command = [sys.executable, "-I", "-S", render_process.__file__, folder]
            self.process = subprocess.Popen(  # noqa: S603  # our own script
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
        process = self.process
        try:
            return _answer(process, call, content, options)
        except BaseException as error:
            # An answer that nobody waits for any more would be taken for the next.
            if not isinstance(error, RenderingError) or process.poll() is not None:
                self.end()
            raise

    def end(self) -> None:
        """End the process, whatever it does; the next drawing starts another."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            pipes: tuple[Any, Any] = process.stdin, process.stdout
            for pipe in pipes:
                with suppress(OSError):  # what was not written yet has no reader
                    pipe.close()
            process.wait()

    def forget(self) -> None:
        """In a forked process: the other belongs to the parent, and so does the lock that it may have held."""
        self.process, self.lock = None, Lock()


def _answer(process: subprocess.Popen[bytes], call: str, content: bytes, options: dict[str, object]) -> bytes:
    pipes: tuple[Any, Any] = process.stdin, process.stdout
    requests, answers = pipes
    head = json.dumps({"call": call, "options": options, "size": len(content)}).encode()
    try:
        requests.write(head + b"\n" + content)
        requests.flush()
        line: bytes = answers.readline()
        size = json.loads(line)["size"] if line else 0
        made: bytes = answers.read(size)
    except BrokenPipeError:
        line, size, made = b"", 0, b""
    if not line.endswith(b"\n") or len(made) != size:
        code, signals = process.wait(), {one.value: one.name for one in signal.Signals}
        how = f"with exit code {code}" if code >= 0 else f"by {signals.get(-code, f'signal {-code}')}"
        raise RenderingError(DIED.format(how=how))
    error = json.loads(line).get("error")
    if error is not None:
        raise RenderingError(f"vl-convert cannot draw this figure: {error}")
    return made


_current = _Renderer()
atexit.register(_current.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_current.forget)


def bundle() -> str:
    """All scripts in one text. Making it takes two seconds, so it is kept in the user's cache, by version."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.join(cache, "rankscale", f"vega-{_version()}.js")
    try:
        with open(path, encoding="utf-8") as kept:
            text = kept.read()
    except (OSError, UnicodeDecodeError):
        text = ""
    if text.endswith(WHOLE):  # one that was cut off, or emptied, is made anew
        return text.removesuffix(WHOLE)
    made = render("javascript_bundle").decode()
    with suppress(OSError):  # a cache that cannot be written is no reason to fail
        os.makedirs(os.path.dirname(path), exist_ok=True)
        write_chunks(path, [made.encode(), WHOLE.encode()])
    return made


def _version() -> str:
    """Of vl-convert, which is not imported for that."""
    try:
        return version(PACKAGE)
    except PackageNotFoundError:
        return "unknown"
