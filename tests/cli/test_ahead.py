"""Files are read while the program starts: nothing but the time it takes may show that."""

from pathlib import Path
from typing import Any

import click
import pytest

import rankscale as rs
from rankscale import _core
from rankscale.cli import ahead
from rankscale.cli.compare import command as compare
from rankscale.cli.curves import command as curves
from rankscale.cli.evaluate import command as evaluate
from rankscale.formats.read import ahead as reading_ahead
from rankscale.formats.read.reading import FileForm, Reading

QRELS = "301 0 a 1\n301 0 b 0\n302 0 a 1\n"
RUN = "301 Q0 b 1 3 tag\n301 Q0 a 2 2 tag\n302 Q0 a 1 1 tag\n"


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "run.txt").write_text(RUN)
    return tmp_path / "qrels.txt", tmp_path / "run.txt"


def test_options_that_say_nothing_about_files_are_known_for_what_they_are() -> None:
    options = [one for made in (evaluate, compare, curves) for one in made.params if isinstance(one, click.Option)]
    flags = {name for one in options if one.is_flag for name in one.opts}
    valued = {name for one in options if not one.is_flag and one.nargs == 1 for name in one.opts}
    assert flags >= ahead.FLAGS
    assert not valued & ahead.FLAGS
    assert valued >= ahead.VALUED
    assert not flags & ahead.VALUED
    how = {f"--{name.replace('_', '-')}" for name in ("order", "threads", "max_size", "depth", "form", "columns")}
    assert not (how | {"--name", "--values", "--ties", "--executor"}) & (ahead.FLAGS | ahead.VALUED)


def test_what_was_begun_is_taken_over(files: tuple[Path, Path], program: Any) -> None:
    told = program("evaluate", *files, "-m", "AP", "--per-topic", "--format", "tsv")
    assert told.code == 0
    wanted = rs.evaluate(str(files[0]), str(files[1]), "AP")
    assert [line.split("\t")[3] for line in told.out.splitlines()[1:]] == [
        *(repr(float(value)) for value in wanted.values[0, 0]),
        repr(float(wanted.means().values[0][0])),
    ]
    for other in (["--threads", "1"], ["--order", "score64"], ["--ties", "range"], ["--depth", "5"]):
        assert program("evaluate", *files, "-m", "AP", *other).code == 0


@pytest.mark.parametrize("wrong", ["qrels", "run"])
def test_errors_are_those_of_files_read_when_they_are_wanted(
    wrong: str, files: tuple[Path, Path], program: Any
) -> None:
    dict(zip(("qrels", "run"), files, strict=True))[wrong].write_text("301 Q0 a\nx\n")
    with pytest.raises(rs.errors.FormatError) as raised:
        rs.evaluate(str(files[0]), str(files[1]), "AP")
    assert program("evaluate", *files, "-m", "AP").refused.splitlines()[0] in f"rankscale: {raised.value}"


def test_a_wrong_guess_changes_nothing(files: tuple[Path, Path], program: Any, tmp_path: Path) -> None:
    qrels, run = files
    report = tmp_path / "old.tsv"
    report.write_text("an older result\n")
    assert program("evaluate", qrels, run, "-m", "AP", "-o", report).code == 0
    assert report.read_text().startswith("run\t")
    assert program("evaluate", qrels, "-m", "AP", run).out == program("evaluate", qrels, run, "-m", "AP").out
    assert "no such file" in program("evaluate", qrels, tmp_path / "none", "-m", "AP").refused
    scores = rs.evaluate(str(qrels), str(run), "AP").means().values[0][0]
    assert f"{scores:.4f}" in program("evaluate", qrels, run, run, "-m", "AP").out


def test_only_the_same_files_taken_in_the_same_way_are_given(files: tuple[Path, Path]) -> None:
    qrels, run = map(str, files)
    reading_ahead.begin(qrels, [run], Reading(), FileForm(), dialect="rankscale")
    wanted = [(qrels, qrels)], "rankscale", FileForm(), "max", None  # merged in another way
    assert reading_ahead.begun_qrels(wanted) is None
    assert reading_ahead.begun_qrels((*wanted[:3], "aspects", None)) is None  # dropped by then
    reading_ahead.begin(qrels, [run], Reading(), FileForm(), dialect="rankscale")
    given = reading_ahead.begun_qrels((*wanted[:3], "aspects", None))
    assert given is not None
    assert reading_ahead.begun_runs(given["index"], ([(run, run)], "rankscale", Reading(depth=1))) is None
    reading_ahead.begin(qrels, ["-"], Reading(), FileForm(), dialect="rankscale")
    assert reading_ahead.begun_qrels((*wanted[:3], "aspects", None)) is None  # standard input is never read ahead


def test_the_core_gives_what_it_began_once(files: tuple[Path, Path]) -> None:
    qrels, run = ([(str(path), str(path))] for path in files)
    begun = _core.Begun((qrels, FileForm(), "aspects"), run, Reading(), "rankscale", None, 2)
    with pytest.raises(ValueError, match="given once"):
        begun.runs()  # the qrels come first
    assert begun.qrels()["index"].topics == (b"301", b"302")
    assert [len(runs) for runs in begun.runs()] == [1]
    for again in (begun.qrels, begun.runs):
        with pytest.raises(ValueError, match="given once"):
            again()
    with pytest.raises(FileNotFoundError):
        _core.Begun(([("none", "none")], FileForm(), "aspects"), run, Reading(), "rankscale", None, 1).qrels()
    with pytest.raises(ValueError, match="unknown merge"):
        _core.Begun((qrels, FileForm(), "never"), run, Reading(), "rankscale", None, 1)
