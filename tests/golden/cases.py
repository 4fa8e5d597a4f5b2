"""The cases, read from `commands.txt` and `snippets.txt`, and how each is run."""

import io
import os
import shlex
import subprocess
import sys
import traceback
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from rankscale.cli import main
from tests.golden.inputs import lay_out
from tests.golden.outcome import Outcome, added_names, listed, nearly_same, written

HERE = Path(__file__).parent
RECORD = HERE / "record"
# Nothing of the terminal, and one thread for linear algebra, whose sums might else depend on the number of cores.
ENVIRONMENT = {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONUTF8": "1", "OPENBLAS_NUM_THREADS": "1"}
PROGRAM = "from rankscale.cli import main; main()"
INTERPRETER = [sys.executable, "-c", PROGRAM]
STDIN = "<"  # before the name of a file: the command runs in a process of its own, and reads it


@dataclass(frozen=True)
class Case:
    """One command or one snippet."""

    kind: str  # commands or python
    number: int
    name: str
    source: str  # the command after `rankscale`, or the code
    prelude: str = ""  # code that runs before
    last_digits: bool = True  # whether they are the same on every machine; marked by `~` where they are not

    @property
    def path(self) -> Path:
        """Where its record is."""
        return RECORD / self.kind / f"{self.number:03}-{self.name}.txt"

    def __str__(self) -> str:
        return f"{self.kind}/{self.number:03}-{self.name}"

    def record(self) -> str:
        """Run it in a folder of its own, with all input files, and tell what it left behind."""
        with TemporaryDirectory(prefix="golden-") as name, patch.dict(os.environ, ENVIRONMENT):
            folder = Path(name)
            lay_out(folder)
            before = listed(folder)
            with _working_in(folder):
                outcome = self._command() if self.kind == "commands" else self._snippet()
            outcome.files |= written(folder, before)
            return outcome.text(folder, whole=not self.last_digits or "--help" in self.source)

    def agrees(self, recorded: str, found: str) -> bool:
        """Whether two records are the same, but for last digits where these depend on the machine.

        Where names are new, lines of help texts break elsewhere.
        """
        if added_names() and recorded.split() == found.split():
            return True
        return recorded == found or (not self.last_digits and nearly_same(recorded, found))

    def _command(self) -> Outcome:
        words = shlex.split(self.source)
        if STDIN in words:
            place = words.index(STDIN)
            outcome = _in_a_process(words[:place], Path(words[place + 1]).read_bytes())
        else:
            outcome = _in_this_process(words)
        outcome.asked = f"rankscale {self.source}"
        return outcome

    def _snippet(self) -> Outcome:
        out = io.StringIO()
        names: dict[str, object] = {"__name__": "snippet"}
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(out):
            warnings.simplefilter("always")
            try:
                exec(compile(self.prelude, "prelude", "exec"), names)
                exec(compile(self.source, self.name, "exec"), names)
            except Exception as error:  # noqa: BLE001  # part of what a user would see
                print("raised", *traceback.format_exception_only(error), file=out)
        told = "".join(f"{one.category.__name__}: {one.message}\n" for one in warned)
        return Outcome(out=out.getvalue(), err=told)


@contextmanager
def _working_in(folder: Path) -> Iterator[None]:
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def _in_this_process(words: list[str]) -> Outcome:
    raw_out, raw_err = io.BytesIO(), io.BytesIO()
    out = io.TextIOWrapper(raw_out, "utf-8", errors="strict", newline="\n", write_through=True)
    err = io.TextIOWrapper(raw_err, "utf-8", errors="backslashreplace", newline="\n", write_through=True)
    code: object = None
    with (
        patch.object(sys, "argv", ["rankscale", *words]),
        redirect_stdout(out),
        redirect_stderr(err),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        try:
            main()
        except SystemExit as ended:
            code = ended.code
        out.flush()
        err.flush()
    return _outcome(code if isinstance(code, int) else 0 if code is None else 1, raw_out.getvalue(), raw_err.getvalue())


def _in_a_process(words: list[str], given: bytes) -> Outcome:
    ended = subprocess.run([*INTERPRETER, *words], input=given, capture_output=True, check=False, timeout=120)
    return _outcome(ended.returncode, ended.stdout, ended.stderr)


def _outcome(code: int, out: bytes, err: bytes) -> Outcome:
    return Outcome(code=code, out=out.decode("utf-8", "surrogateescape"), err=err.decode("utf-8", "surrogateescape"))


def commands() -> list[Case]:
    """Each line of `commands.txt`: a name, a colon, and what stands after `rankscale`; `#` starts a remark."""
    lines = (HERE / "commands.txt").read_text(encoding="utf-8").splitlines()
    kept = [line.partition(":") for line in lines if line.strip() and not line.startswith("#")]
    return [_case("commands", number, name, asked.strip()) for number, (name, _, asked) in enumerate(kept, start=1)]


def snippets() -> list[Case]:
    """Each part of `snippets.txt` under a line `#### name`; what stands before the first one runs before each."""
    prelude, *parts = (HERE / "snippets.txt").read_text(encoding="utf-8").split("\n#### ")
    split = [part.partition("\n") for part in parts]
    return [_case("python", number, name, code, prelude) for number, (name, _, code) in enumerate(split, start=1)]


def _case(kind: str, number: int, name: str, source: str, prelude: str = "") -> Case:
    named = name.strip()
    return Case(kind, number, named.removeprefix("~"), source, prelude, last_digits=not named.startswith("~"))


def all_cases() -> list[Case]:
    """Commands, then snippets."""
    return [*commands(), *snippets()]
