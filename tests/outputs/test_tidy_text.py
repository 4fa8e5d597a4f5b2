"""tsv, csv and jsonl: a parser that is not ours reads back every name and every bit."""

import csv
import io
import json
import math
import re
import struct
import unicodedata
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

import pytest

from rankscale.evaluation.curves.curves import curves
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.evaluation.tables import values_table
from rankscale.outputs import text as tidy

Rows = list[tuple[str, str, str, float]]
Make = Callable[..., Evaluation]
FORMS = ("tsv", "csv", "jsonl")


def text_of(found: Evaluation, form: str, *, per_topic: bool = True, places: int | None = None) -> str:
    raw = b"".join(found.chunks(form, "values" if per_topic else "means", places))
    return raw.decode("utf-8", "surrogateescape")


def rows_of(text: str, form: str) -> Rows:
    """What Python's own readers make of it."""
    if form == "jsonl":
        objects = [json.loads(line) for line in text.split("\n")[:-1]]
        assert text.endswith("\n")
        assert all(list(row) == ["run", "topic", "measure", "value"] for row in objects)
        return [(r["run"], r["topic"], r["measure"], math.nan if r["value"] is None else r["value"]) for r in objects]
    style: dict[str, object] = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if form == "tsv" else {"strict": True}
    head, *rows = csv.reader(io.StringIO(text, newline=""), **style)  # type: ignore[arg-type]
    assert head == ["run", "topic", "measure", "value"]
    return [(run, topic, measure, float(value)) for run, topic, measure, value in rows]


def expected_rows(found: Evaluation) -> Rows:
    """By run; its topics in order, each with all measures; then the means."""
    rows: Rows = []
    measures = list(map(str, found.measures))
    for run in found.runs:
        by_measure = {measure: found.by_topic(run, measure) for measure in measures}
        rows += [(run, topic, m, by_measure[m][topic]) for topic in by_measure[measures[0]] for m in measures]
        rows += [(run, "all", m, found.means()[run, m]) for m in measures]
    return rows


def bits(value: float) -> bytes:
    return struct.pack("<d", value)


def test_names_and_values_in_json_are_read_back_as_they_were(nasty: Evaluation) -> None:
    assert rows_of(text_of(nasty, "jsonl"), "jsonl") == expected_rows(nasty)


def spelled_out(name: str) -> str:
    """Hidden characters as Python writes them, but for those that quotes hold; an apostrophe before a formula."""
    hidden = {c for c in name if unicodedata.category(c) in {"Cc", "Zl"} or "\u202a" <= c <= "\u202e"} - set("\t\n\r")
    shown = "".join(c.encode("unicode_escape").decode() if c in hidden else c for c in name)
    return f"'{shown}" if name == "-1+1=cmd" else shown


@pytest.mark.parametrize("form", ["csv", "tsv"])
def test_names_in_csv_and_tsv_have_their_hidden_characters_spelled_out(form: str, nasty: Evaluation) -> None:
    """tsv has spaces for what would break its rows."""

    def written(name: str) -> str:
        return re.sub(r"[\t\n\r]", " ", spelled_out(name)) if form == "tsv" else spelled_out(name)

    expected = [(written(run), written(topic), measure, value) for run, topic, measure, value in expected_rows(nasty)]
    assert rows_of(text_of(nasty, form), form) == expected


@pytest.mark.parametrize("form", FORMS)
def test_without_topics_there_are_the_means_alone(form: str, nasty: Evaluation) -> None:
    rows = rows_of(text_of(nasty, form, per_topic=False), form)
    assert len(rows) == len(nasty.runs) * 2
    assert {topic for _, topic, _, _ in rows} == {"all"}
    assert [value for *_, value in rows] == [value for _, topic, _, value in expected_rows(nasty) if topic == "all"]


def test_bytes_that_are_not_utf8_come_out_as_they_were(nasty: Evaluation) -> None:
    for form in ("tsv", "csv"):
        raw = b"".join(nasty.chunks(form))
        assert b"not utf-8 \xff\x80" in raw
    jsonl = b"".join(nasty.chunks("jsonl"))
    jsonl.decode("utf-8")  # JSON is UTF-8, whatever the names are


@pytest.mark.parametrize("form", FORMS)
def test_every_bit_of_a_value_is_kept(form: str, holding: Make, hard_values: list[float]) -> None:
    found = holding(hard_values)
    rows = rows_of(text_of(found, form), form)
    assert [bits(value) for *_, value in rows[:-1]] == [bits(value) for value in hard_values]
    assert bits(rows[-1][3]) == bits(found.means()["r", "AP"])


def test_values_are_written_no_longer_than_python_writes_them(holding: Make, hard_values: list[float]) -> None:
    values = [row.rsplit("\t", 1)[1] for row in text_of(holding(hard_values), "tsv").splitlines()[1:-1]]
    digits = [len(re.sub(r"e.*|[-.]", "", text).strip("0")) for text in values]
    theirs = [len(re.sub(r"e.*|[-.]", "", repr(value)).strip("0")) for value in hard_values]
    assert digits == theirs


@pytest.mark.parametrize("form", ["tsv", "csv"])
def test_undefined_and_infinite_values_are_words(form: str, holding: Make) -> None:
    for infinity in (math.inf, -math.inf):
        rows = rows_of(text_of(holding([math.nan, infinity, 1.0]), form), form)
        assert math.isnan(rows[0][3])
        assert [row[3] for row in rows[1:]] == [infinity, 1.0, infinity]


def test_jsonl_stays_json_with_undefined_and_infinite_values(holding: Make) -> None:
    def refuse(word: str) -> float:
        raise AssertionError(f"{word} is no JSON")

    for infinity in (math.inf, -math.inf):
        lines = text_of(holding([math.nan, infinity]), "jsonl").splitlines()
        assert [json.loads(line, parse_constant=refuse)["value"] for line in lines] == [None, infinity, infinity]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("places", [0, 1, 4, 17])
def test_places_round_as_python_rounds(form: str, places: int, holding: Make) -> None:
    values = [0.5, 1.5, 2.5, 0.125, 2 / 3, 0.99999, 1e-9, 123.456, 0.05, 0.15, 1e15 + 0.5]
    text = text_of(holding(values), form, places=places)
    written = [re.findall(r"[-\d.e]+", line)[-1] for line in text.splitlines()[(form != "jsonl") :]]
    assert written[:-1] == [f"{value:.{places}f}" for value in values]


def test_large_and_small_values_with_places_have_no_exponent(holding: Make) -> None:
    rows = rows_of(text_of(holding([1e22, 1e-300]), "tsv", places=2), "tsv")
    assert [Decimal(row[3]) for row in rows[:2]] == [Decimal(10) ** 22, Decimal(0)]
    assert "e" not in text_of(holding([1e22, 1e-300]), "tsv", places=2).split("value")[1].replace("measure", "")


def test_rows_of_the_contract(holding: Make) -> None:
    first, *_, last = text_of(holding([0.25, 0.75], "P@10"), "jsonl").splitlines()
    assert first == '{"run": "r", "topic": "0000", "measure": "P@10", "value": 0.25}'
    assert last == '{"run": "r", "topic": "all", "measure": "P@10", "value": 0.5}'


@pytest.mark.parametrize("form", FORMS)
def test_no_topics_and_no_runs_are_no_rows(form: str, holding: Callable[[Sequence[float]], Evaluation]) -> None:
    assert len(rows_of(text_of(holding([]), form), form)) == 1  # the mean, which is undefined
    lines = b"".join(holding([]).chunks(form, "means")).splitlines()
    assert len(lines) == (1 if form == "jsonl" else 2)


@pytest.mark.parametrize("form", FORMS)
def test_names_of_runs_are_written_as_often_as_there_are_rows(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not all names for each run: of tens of thousands of runs that would take minutes."""
    written: list[str] = []
    for name in ("quoted", "separated"):
        write = getattr(tidy, name)

        def counted(text: str, *rest: str, write: Callable[..., str] = write) -> str:
            written.append(text)
            return write(text, *rest)

        monkeypatch.setattr(tidy, name, counted)
    qrels, runs = {"1": {"a": 1}}, {f"run{number}": {"1": {"a": 1.0}} for number in range(300)}
    found = evaluate(qrels, runs, "AP")
    assert len(rows_of(text_of(found, form), form)) == 600
    drawn = b"".join(curves(qrels, runs, "nDCG", depth=2).chunks(form))
    assert drawn.count(b"run299") == 2
    assert len(written) < 10 * len(runs)


@pytest.mark.parametrize("form", ["tsv", "csv", "jsonl"])
@pytest.mark.parametrize("options", [{}, {"bounds": True}, {"ties": "range"}, {"missing": "skip"}])
@pytest.mark.parametrize("places", [None, 3])
def test_runs_that_are_made_text_together_have_the_rows_of_each(
    form: str, options: dict[str, Any], places: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many runs, some with names that need quotes, or that JSON is not shown as they are; some lack topics."""
    qrels = {f"{topic}": {"a": 1, "b": 0, "c": 2} for topic in range(5)}
    names = [*(f"run {number}" for number in range(40)), 'a "quoted", one', "tab\tbed", "=1+2", "turned\u202eround"]
    runs = {
        name: {str(topic): {"a": 2.0, "c": place % 3 + 1.0, "x": 1.5} for topic in range(place % 5 + 1)}
        for place, name in enumerate(names)
    }
    evaluation = evaluate(qrels, runs, ["AP", "P@2", "RBP", "num_rel"], **options)
    together = b"".join(tidy.tidy_text(values_table(evaluation, per_topic=True), form, places))
    monkeypatch.setattr("rankscale.evaluation.tables.GRID_ROWS", 0)
    assert b"".join(tidy.tidy_text(values_table(evaluation, per_topic=True), form, places)) == together
    rows = sum((len(runs[name]) if "missing" in options else len(qrels)) + 1 for name in names)
    assert together.count(b"\n") == (form != "jsonl") + 4 * rows
