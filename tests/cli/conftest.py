"""What the tests of the commands share: the program in this process and in one of its own, and small files."""

import csv
import io
import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from rankscale.cli import main

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"


@dataclass(frozen=True)
class Outcome:
    code: int
    raw: bytes
    err: str

    @property
    def out(self) -> str:
        return self.raw.decode("utf-8", "surrogateescape")

    @property
    def words(self) -> list[list[str]]:
        return [line.split() for line in self.out.splitlines()]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Those of jsonl."""
        assert self.code == 0, self.err
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def refused(self) -> str:
        """The message of a command that ended with 2 and printed no result."""
        assert (self.code, self.raw) == (2, b"")
        assert "Traceback" not in self.err
        return self.err


Run = Callable[..., Outcome]


@pytest.fixture
def rankscale(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Run:
    """The program, as its entry point starts it, in this process: arguments in, exit code and both outputs out."""

    def run(*arguments: object) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["rankscale", *map(str, arguments)])
        capsysbinary.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capsysbinary.readouterr()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0 if code is None else 1, out, err.decode())

    return run


@pytest.fixture
def check_forms(rankscale: Run, tmp_path: Path) -> Callable[..., None]:
    """Every form of a study's table holds these rows."""

    def check(expected: list[dict[str, Any]], *options: object) -> None:
        assert rankscale(*options, "--format", "jsonl").rows == expected
        for form, separator in (("tsv", "\t"), ("csv", ",")):
            text = rankscale(*options, "--format", form).out
            found = list(csv.DictReader(io.StringIO(text), delimiter=separator))
            assert found == [{name: _written(cell) for name, cell in row.items()} for row in expected]
        assert rankscale(*options, "-o", tmp_path / "found.parquet").code == 0
        assert parquet.read_table(tmp_path / "found.parquet").to_pylist() == expected
        assert json.loads(rankscale(*options, "--format", "json").out)["rows"] == expected
        assert len(rankscale(*options).out.splitlines()) == 1 + len(expected)

    return check


def _written(cell: object) -> str:
    return "" if cell is None else repr(cell) if isinstance(cell, float) else str(cell)


@pytest.fixture
def program(tmp_path: Path) -> Run:
    """The program in a process of its own, with a working folder of its own."""

    def run(*arguments: object, stdin: bytes = b"", env: dict[str, str] | None = None, **more: Any) -> Outcome:
        ended = subprocess.run(
            [SCRIPT, *map(str, arguments)],
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, **(env or {})},
            cwd=more.pop("cwd", tmp_path),
            timeout=120,
            **more,
        )
        return Outcome(ended.returncode, ended.stdout, ended.stderr.decode())

    return run


@pytest.fixture
def python() -> Callable[[str], str]:
    """What a program in Python prints, in a process of its own."""

    def run(code: str) -> str:
        ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=120)
        return ended.stdout

    return run


@pytest.fixture
def qrels(written: Callable[[str, str], Path]) -> Path:
    """Two topics: 1 with grades 0, 1 and 2, 2 with grades 1 and -1."""
    return written("qrels.txt", "1 0 a 2 / 1 0 b 0 / 1 0 c 1 / 2 0 a 1 / 2 0 d -1")


@pytest.fixture
def good(written: Callable[[str, str], Path]) -> Path:
    """RR 1/2 and 1/3; AP (1/2 + 2/3)/2 and 1/3; the document x is unjudged."""
    return written(
        "good.txt",
        "1 Q0 b 1 9 good / 1 Q0 c 2 8 good / 1 Q0 a 3 7 good / 2 Q0 x 1 9 good / 2 Q0 d 2 8 good / 2 Q0 a 3 7 good",
    )


@pytest.fixture
def part(written: Callable[[str, str], Path]) -> Path:
    """Topic 1 alone, with its best document first: RR 1, AP 1/2."""
    return written("part.txt", "1 Q0 a 1 1 part")
