"""Errors are data: kind, place, what was expected and what was there; each surface spells the options they name."""

import ast
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.cli.terminal import spelling
from rankscale.errors import FormatError, Place, RankscaleError, Setting, in_python, on_command_line, worded

SOURCES = Path(rs.__file__).parent
TWO = b"1 Q0 a 1 9 x\n1 Q0 a 2 8 x\n"
TABLE = b"1,a,3\n1,b,2\n"
QRELS = {"1": {"a": 1}}
RESULT = rs.evaluate(QRELS, {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 1.0}}}, ["P@1"])

# The command that would run, the call, and the option as the command line and as Python have it.
SPELLED: dict[str, tuple[str, Callable[[], object], str, str]] = {
    "twice in a ranking": ("evaluate", lambda: rs.read_run(QRELS, TWO), "--duplicates best", "duplicates='best'"),
    "twice in rows": (
        "evaluate",
        lambda: rs.read_run(QRELS, [("1", "a", 2.0), ("1", "a", 1.0)]),
        "--duplicates best",
        "duplicates='best'",
    ),
    "judged twice": ("evaluate", lambda: rs.read_qrels(b"1 0 a 1\n1 0 a 2\n"), "--qrels-merge max", "merge='max'"),
    "preferences": ("evaluate", lambda: rs.read_qrels(b"1 0 a 1 b\n"), "--qrels-form prefs", "form='prefs'"),
    "columns": (
        "evaluate",
        lambda: rs.read_run(QRELS, TABLE),
        "--columns topic=1,document=2,score=3",
        "columns='topic=1,document=2,score=3'",
    ),
    "order": ("evaluate", lambda: rs.read_run(QRELS, b"qid,docid\n1,a\n"), "--order file", "order='file'"),
    "size": ("evaluate", lambda: rs.read_run(QRELS, TWO, max_size=5), "--max-size", "max_size="),
    "pattern": (
        "evaluate",
        lambda: rs.read_run(QRELS, TWO, duplicates="best", document_from="("),
        "--document-from",
        "document_from=",
    ),
    "draws": ("evaluate", lambda: RESULT.with_confidence(draws=0), "--draws", "draws="),
    "missing": (
        "compare",
        lambda: rs.evaluate({"1": {"a": 1}, "2": {"a": 1}}, {"x": {"1": {"a": 1.0}}}, "P@1", missing="error"),
        "--missing zero",
        "missing='zero'",
    ),
    "method": (
        "scale",
        lambda: rs.scale("AP@40", deduplicate="float").rank([0] * 40),
        "--method exact",
        "method='exact'",
    ),
    "swapped": (
        "evaluate",
        lambda: rs.evaluate({"x": {"1": {"a": 1.0}}}, rs.read_qrels(QRELS), "P@1"),
        "rankscale evaluate QRELS RUN",
        "evaluate(qrels, runs, measures)",
    ),
}


@pytest.mark.parametrize(("command", "call", "option", "keyword"), SPELLED.values(), ids=SPELLED)
def test_each_surface_names_options_in_its_form(
    command: str, call: Callable[[], object], option: str, keyword: str
) -> None:
    with pytest.raises(RankscaleError) as raised:
        call()
    running = cli.get_command(click.Context(cli), command)
    assert running is not None
    with click.Context(running, info_name=command, parent=click.Context(cli, info_name="rankscale")):
        shown = raised.value.worded(spelling())
    assert keyword in str(raised.value)
    assert option not in str(raised.value)
    assert option in shown
    assert keyword not in shown
    assert "in Python" not in shown + str(raised.value)
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.args, vars(again)) == (raised.value.args, vars(raised.value))


def test_an_error_of_a_line_has_kind_place_expectation_and_finding() -> None:
    with pytest.raises(FormatError) as raised:
        rs.read_run(QRELS, b"1 Q0 a 1 9 x\n1 Q0 b 2 high x\n")
    error = raised.value
    assert (error.kind, error.place) == ("score", Place("bytes", 2, 10))
    assert (error.expected, error.found) == ("a number as score", "high")
    assert error.problem == "expected a number as score, found high"


@pytest.mark.parametrize(
    ("content", "kind", "place"),
    [
        (TWO, "document twice", Place("bytes", 2)),
        (b"1 Q0 a\n", "columns", Place("bytes", 1)),
        (b"qid,docid,score\n1,a\n", "columns", Place("bytes", 2)),
        (b"qid,docid,score\n1,a,x\n", "score", Place("bytes", 2)),
        (b'{"qid": "1", "docid": "a", "score": "x"}\n', "score", Place("bytes", 1, 38)),
        (b'{"qid": "1"\n', "unreadable", Place("bytes", 1, 12)),
        (b"", "unreadable", None),
    ],
)
def test_kinds_and_places(content: bytes, kind: str, place: Place | None) -> None:
    with pytest.raises(FormatError) as raised:
        rs.read_run(QRELS, content)
    assert (raised.value.kind, raised.value.place) == (kind, place)


def test_parts_are_spelled_by_the_surface() -> None:
    parts = ("give ", Setting("missing", "zero"), (" or ", Setting("max_memory", python="set_max_memory()")))
    assert worded(parts, in_python) == "give missing='zero' or set_max_memory()"
    assert worded(parts, on_command_line) == "give --missing zero or --max-memory"


def _is_message(node: ast.AST) -> bool:
    """Whether an expression is the text of an error, a notice or a problem."""
    inner = node.args[0] if isinstance(node, ast.Call) and node.args else node
    names = {one.id for one in ast.walk(inner) if isinstance(one, ast.Name)}
    called = {one.func.id for one in ast.walk(node) if isinstance(one, ast.Call) and isinstance(one.func, ast.Name)}
    return bool(called & {"str", "render", "worded"}) and bool(names & {"error", "notice", "problem", "warning"})


def test_nothing_looks_for_words_in_our_messages_or_speaks_two_languages() -> None:
    for path in sorted(SOURCES.rglob("*.py")):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                of = node.func
                if of.attr in {"replace", "removeprefix", "removesuffix"}:
                    assert not _is_message(of.value), f"{path}:{node.lineno}"
                elif of.attr in {"match", "search", "sub", "fullmatch", "findall", "split"}:
                    assert not any(map(_is_message, node.args)), f"{path}:{node.lineno}"
            elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not re.search(r"--\w[^.;]*= in Python|\(\w+= in Python", node.value), f"{path}:{node.lineno}"
