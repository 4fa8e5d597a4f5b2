"""Probabilities of sub-topics: files, mappings, and what does not fit the qrels."""

import gzip
from pathlib import Path

import pytest

from rankscale.errors import DuplicateError, FormatError, InputError, ParameterError
from rankscale.evaluation.evaluate import evaluate
from rankscale.inputs.read import QrelsFile, read_qrels
from rankscale.inputs.topics import read_intents
from tests.data.made_aspects import made_qrels

ROWS = [("1", "1", "a", 1.0), ("1", "1", "b", 2.0), ("1", "2", "b", 1.0), ("1", "2", "c", 1.0), ("1", "3", "d", 3.0),
        ("1", "3", "a", 0.0), ("1", "4", "e", 0.0), ("2", "1", "b", 1.0)]  # fmt: skip
QRELS = made_qrels(ROWS)
RUN = {"1": {"b": 5.0, "x": 4.0, "a": 3.0, "e": 2.0, "d": 1.0}}
TEXT = "1 1 0.5\n1 2 0.3\n\n1 3 0.2\n1 4 0\n2 1 1\n"


@pytest.mark.parametrize("form", ["path", "packed", "bytes", "open", "mapping"])
def test_each_form_gives_the_same(form: str, tmp_path: Path) -> None:
    path = tmp_path / "intents.txt"
    path.write_bytes(gzip.compress(TEXT.encode()) if form == "packed" else b"\xef\xbb\xbf" + TEXT.encode())
    mapping = {"1": {"1": 0.5, "2": 0.3, "3": 0.2, "4": 0}, "2": {"1": 1}}
    with path.open("rb") as file:
        source = {"bytes": TEXT.encode(), "open": file, "mapping": mapping}.get(form, path)
        qrels = read_qrels(QRELS, intents=source)
    assert qrels.aspects is not None
    assert qrels.aspects.weights is not None
    assert qrels.aspects.weights.tolist() == [0.5, 0.3, 0.2, 0, 1]
    assert qrels.notices == ()
    values = evaluate(qrels, {"run": RUN}, ["alpha_DCG@5", "alpha_nDCG@5"]).values[:, 0, 0]
    assert values == pytest.approx([0.660115, 0.893113], abs=5e-7)  # SPEC2


def test_a_file_of_qrels_may_bring_its_intents() -> None:
    with pytest.raises(InputError, match="bytes: probabilities are of sub-topics, and qrels names none"):
        read_qrels(QrelsFile({"1": {"a": 1}}, intents=TEXT.encode()))


def test_what_does_not_fit_is_told() -> None:
    qrels = read_qrels(QRELS, intents=b"1 1 0.5\n1 5 0.5\n2 1 1\n7 1 1\n")
    assert qrels.warnings == (
        "1 topic of bytes not in qrels, left out",
        (
            "3 of 5 sub-topics of qrels have no probability in bytes, and count 0 "
            "(topic 1 sub-topic 2, topic 1 sub-topic 3, topic 1 sub-topic 4)"
        ),
    )
    assert qrels.aspects is not None
    assert qrels.aspects.names == ("1", "2", "3", "4", "5", "1")
    assert qrels.aspects.counts.tolist() == [5, 1]
    found = evaluate(qrels, {"run": RUN}, ["Coverage@5", "StRecall@5"]).values[:, 0, 0]
    assert found.tolist() == [3 / 5, 1]


def test_judgments_stay_with_their_subtopics() -> None:
    qrels = read_qrels(QRELS, intents=b"1 0 0.25\n1 25 0.25\n1 4 0.5\n2 1 1\n")
    before, after = QRELS.aspects, qrels.aspects
    assert before is not None
    assert after is not None
    assert after.names == ("0", "1", "2", "25", "3", "4", "1")
    for row in range(2):
        held = {
            name: sorted(zip(of.document[entries].tolist(), of.code[entries].tolist(), strict=True))
            for of in (before, after)
            for _, name, entries in of.of_topic(row)
        }
        assert {name: held[name] for name in held if held[name]} == {
            name: sorted(zip(before.document[e].tolist(), before.code[e].tolist(), strict=True))
            for _, name, e in before.of_topic(row)
        }


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (
            b"1 1\n",
            FormatError,
            "bytes, line 1: expected lines of a topic, a sub-topic and its probability, found 2 col",
        ),
        (b"1 1 0.5\n1 2 half\n", FormatError, "bytes, line 2: expected a probability, a number from 0, found 'half'"),
        (b"1 1 -0.5\n", FormatError, "found '-0.5'"),
        (b"1 1 inf\n", FormatError, "found 'inf'"),
        (b"1 1 nan\n", FormatError, "found 'nan'"),
        (b"1 1 0.5\n1 1 0.5\n", DuplicateError, "line 2: expected each sub-topic once, found 1 of topic 1 again"),
        (b"\n\n", FormatError, "found none"),
    ],
)
def test_lines_that_are_no_probabilities(text: bytes, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        read_intents(text)


def test_mappings_that_are_none() -> None:
    with pytest.raises(ParameterError, match=r"got 0\.5 for topic 1"):
        read_intents({"1": 0.5})
    with pytest.raises(FormatError, match="topic 1, sub-topic 2: expected a probability"):
        read_intents({"1": {"2": -1}})
    with pytest.raises(FormatError, match="found none"):
        read_intents({})


def test_qrels_without_subtopics_or_topics_in_common() -> None:
    with pytest.raises(InputError, match="probabilities are of sub-topics, and qrels names none"):
        read_qrels({"1": {"a": 1}}, intents=TEXT.encode())
    with pytest.raises(InputError, match="have no topic in common"):
        read_qrels(QRELS, intents=b"8 1 1\n")
