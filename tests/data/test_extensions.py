"""What other packages add: each extension point through the front door, and packages that are broken."""

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.data.extensions import extension, extensions
from rankscale.stats.tests.register import all_tests, find_test, known_tests
from tests.cli.conftest import program, rankscale

__all__ = ["program", "rankscale"]  # fixtures
Add = Callable[..., None]
QRELS = {str(topic): {"a": 1, "b": 0, "c": topic % 2} for topic in range(1, 9)}
RUNS = {
    "good": {str(topic): {"a": 3.0, "b": 2.0, "c": 1.0} for topic in range(1, 9)},
    "bad": {str(topic): {"b": 3.0, "c": 2.0, "a": 1.0 + topic % 3} for topic in range(1, 9)},
}


@pytest.fixture
def add_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Puts a package on the path, installed as pip would: a module and its .dist-info."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("PYTHONPATH", str(folder))
    added = []

    def add(module: str, source: str, group: str, **entries: str) -> None:
        (folder / f"{module}.py").write_text(source, encoding="utf-8")
        info = folder / f"{module}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}-package\nVersion: 1.0\n")
        lines = "".join(f"{name} = {place}\n" for name, place in entries.items())
        (info / "entry_points.txt").write_text(f"[{group}]\n{lines}")
        added.append(module)

    yield add
    for module in added:
        sys.modules.pop(module, None)


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Qrels and two runs."""
    rs.write_qrels(QRELS, tmp_path / "qrels.txt")
    for name, run in RUNS.items():
        rs.write_run(run, tmp_path / f"{name}.txt", name=name)
    return [tmp_path / f"{name}.txt" for name in ("qrels", "good", "bad")]


MEDIAN_TEST = '''
from dataclasses import dataclass
from typing import ClassVar

from rankscale.stats.tests.pair_tests import Sign


@dataclass(frozen=True)
class Wins(Sign):
    """The sign test under another name."""

    name: ClassVar[str] = "wins"
    aliases: ClassVar[tuple[str, ...]] = ()
    label: ClassVar[str] = "the test of wins"


NOT_A_TEST = 3
'''


def test_a_significance_test(add_package: Add, rankscale: Any, files: list[Path]) -> None:
    add_package("wins_test", MEDIAN_TEST, "rankscale.tests", wins="wins_test:Wins")
    assert "wins" not in known_tests()
    assert "wins" in all_tests()
    result = rs.evaluate(QRELS, RUNS, "nDCG@10")
    ours, theirs = (rs.compare(result, test=name) for name in ("sign", "Wins"))
    assert ours.p.tolist() == theirs.p.tolist()
    for command in ("compare", "discriminate"):
        done = rankscale(command, *files, "-m", "nDCG@10", "-t", "wins")
        assert (done.code, done.err) == (0, "")
    assert rankscale("effort-gain", *files, "--pairs", "-t", "wins").code == 0
    refused = rankscale("compare", *files, "-t", "winds")
    assert refused.code == 2
    assert "unknown test 'winds'; did you mean wins?" in refused.err


def test_tests_that_are_broken(add_package: Add, rankscale: Any, files: list[Path]) -> None:
    places = {"number": "odd_tests:NOT_A_TEST", "gone": "odd_tests:Gone", "missing": "no_such_module:Test"}
    add_package("odd_tests", MEDIAN_TEST, "rankscale.tests", **places)
    for name, reason in {
        "number": "is no class with a name built on",
        "gone": "AttributeError",
        "missing": "ModuleNotFoundError",
    }.items():
        refused = rankscale("compare", *files, "-t", name)
        assert refused.code == 2
        assert f"{name} ({places[name]}, rankscale.tests of odd_tests-package)" in refused.err
        assert reason in refused.err
        with pytest.raises(rs.errors.InputError, match=reason):
            find_test(name)


def test_a_measure_that_is_broken(add_package: Add, rankscale: Any, files: list[Path]) -> None:
    add_package("odd_measure", "X = 1", "rankscale.measures", Odd="odd_measure:X", Gone="odd_measure:Y")
    for name, reason in {"Odd": "is no class built on", "Gone": "AttributeError"}.items():
        refused = rankscale("evaluate", *files, "-m", name)
        assert refused.code == 2
        assert "rankscale.measures of odd_measure-package" in refused.err
        assert reason in refused.err


def test_nothing_of_a_package_is_imported_before_it_is_named(add_package: Add) -> None:
    add_package("loud", "raise RuntimeError", "rankscale.tests", loud="loud:X")
    assert extensions("rankscale.tests").names == {"loud"}
    assert extension("rankscale.tests", "quiet") is None
    assert find_test("student").name == "student"
    with pytest.raises(rs.errors.InputError, match="loud-package\\) cannot be loaded: RuntimeError"):
        extension("rankscale.tests", "loud")


COMMANDS = '''
from rankscale.data.arguments import Declaration


def odd(evaluation, *, untyped):
    """Do nothing.

    Parameters
    ----------
    untyped : int
        Nothing.
    """


NUMBER = 3
ODD = Declaration(odd, source="evaluation", measures=("AP",))
'''
BROKEN = {
    "number": ("odd_commands:NUMBER", "is no rankscale.data.arguments.Declaration"),
    "odd": ("odd_commands:ODD", "declares no command"),
    "gone": ("odd_commands:GONE", "cannot be loaded: AttributeError"),
}


@pytest.mark.parametrize("group", ["studies", "figures"])
@pytest.mark.parametrize("name", BROKEN)
def test_commands_that_are_broken(group: str, name: str, add_package: Add, rankscale: Any, files: list[Path]) -> None:
    place, reason = BROKEN[name]
    add_package("odd_commands", COMMANDS, f"rankscale.{group}", **{name: place})
    words = ["figure", name] if group == "figures" else [name]
    refused = rankscale(*words, *files, "-o", "out.tsv")
    assert refused.code == 2
    assert f"{name} ({place}, rankscale.{group} of odd_commands-package) {reason}" in refused.err
    listed = rankscale(*words[:-1], "--help")
    assert listed.code == 0
    assert f"{name} " in listed.out
    assert "Added by odd_commands-package." in listed.out


def test_names_of_ours_win(add_package: Add, rankscale: Any, files: list[Path]) -> None:
    places = dict.fromkeys(("robustness", "evaluate"), "odd_commands:GONE")
    add_package("odd_commands", COMMANDS, "rankscale.studies", **places)
    assert rankscale("evaluate", *files).code == 0
    assert "Added by" not in rankscale("--help").out
    assert callable(rs.robustness)


def test_what_nobody_has_is_not_found(add_package: Add, rankscale: Any) -> None:
    add_package("odd_commands", COMMANDS, "rankscale.figures", tower="odd_commands:GONE")
    assert "unknown figure 'towers'; did you mean tower?" in rankscale("figure", "towers").err
    with pytest.raises(rs.errors.UnknownNameError, match="did you mean tower"):
        rs.figure("towers")
    with pytest.raises(AttributeError, match="has no attribute 'towers'"):
        getattr(rs, "towers")  # noqa: B009  # a name that type checkers do not know


FORM = """
def write(table):
    return 1 / 0


def read(file):
    raise KeyError("topic")
"""


def test_forms_that_are_broken(add_package: Add, rankscale: Any, files: list[Path], tmp_path: Path) -> None:
    add_package("odd_form", FORM, "rankscale.forms", odd="odd_form", none="odd_form:__name__")
    package = "rankscale.forms of odd_form-package)"
    for options, message in {
        ("--format", "odd"): f"odd (odd_form, {package} cannot write: ZeroDivisionError: division by zero",
        ("-o", str(tmp_path / "out.odd")): f"odd (odd_form, {package} cannot write",
        ("--form", "odd"): f"good.txt: odd (odd_form, {package} cannot read: KeyError: 'topic'",
        ("--qrels-form", "odd"): f"qrels.txt: odd (odd_form, {package} cannot read: KeyError: 'topic'",
        ("--format", "none"): f"none (odd_form:__name__, {package} has no function write",
    }.items():
        refused = rankscale("evaluate", *files, *options)
        assert refused.code == 2
        assert message in refused.err
    assert not (tmp_path / "out.odd").exists()


def test_what_a_form_reads_is_measured_as_any_other(add_package: Add, rankscale: Any, tmp_path: Path) -> None:
    source = "import json\n\n\ndef read(file):\n    return json.load(file)\n"
    add_package("nested", source, "rankscale.forms", nested="nested")
    places = [tmp_path / name for name in ("qrels.nested", "good.nested")]
    for place, content in zip(places, (QRELS, RUNS["good"]), strict=True):
        place.write_text(json.dumps(content))
    qrels = rs.read_qrels(places[0], form="nested")  # type: ignore[arg-type]  # a form that type checkers do not know
    run = rs.read_run(qrels, places[1], form="nested")  # type: ignore[arg-type]
    expected = rs.evaluate(QRELS, {"good": RUNS["good"]}, "nDCG")
    assert rs.evaluate(qrels, [run], "nDCG").values.tolist() == expected.values.tolist()
    assert rankscale("convert", places[1], tmp_path / "run.tsv", "--form", "nested").code == 0
    assert rs.evaluate(QRELS, tmp_path / "run.tsv", "nDCG").values.tolist() == expected.values.tolist()
    refused = rankscale("evaluate", *places, "--form", "nestled")
    assert refused.code == 2
    assert "'nestled' is not one of" in refused.err
    with pytest.raises(rs.errors.ParameterError, match="form must be trec, msmarco"):
        rs.read_run(qrels, places[1], form="nestled")  # type: ignore[arg-type]
