"""What holds for every run, however it is written."""

import ctypes
from random import Random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankscale
from rankscale.inputs import trec
from tests.inputs.conftest import fields_of

Ranking = dict[str, float]

TOPICS, DOCUMENTS = ["1", "2", "10", "é", "t-\udce9"], [*"abcdefgh", "d10", "d9", "é", "\udcff"]
scores = st.sampled_from(
    [0.0, -0.0, 1.0, 1.5, -3.25, 16777216.0, 16777217.0, 1e39, 1e300, float("inf"), float("-inf"), 1e-46]
)
rankings = st.dictionaries(st.sampled_from(DOCUMENTS), scores | st.floats(allow_nan=False), min_size=1, max_size=10)
runs = st.dictionaries(st.sampled_from([*TOPICS, "unknown", "unseen"]), rankings, min_size=1, max_size=6)
judgments = st.dictionaries(
    st.sampled_from(TOPICS),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([-1, 0, 1, 2, 0.5]), max_size=6),
    min_size=1,
)
seeds = st.integers(0, 2**32 - 1)
orders = pytest.mark.parametrize("order", ["score", "score64", "rank", "file"])


def lines_of(run: dict[str, Ranking], rng: Random | None = None) -> list[str]:
    """Lines of a TREC run, with ranks that some order of the documents gives."""
    lines = []
    for topic, ranking in run.items():
        ranks = list(range(1, len(ranking) + 1))
        if rng is not None:
            rng.shuffle(ranks)
        pairs = zip(ranks, ranking.items(), strict=True)
        lines += [f"{topic} Q0 {document} {rank} {score!r} tag" for rank, (document, score) in pairs]
    return lines


def text_of(lines: list[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")


def qrels_text(grades: dict[str, dict[str, float]]) -> bytes:
    return text_of(
        [f"{topic} 0 {document} {grade}" for topic, judged in grades.items() for document, grade in judged.items()]
    )


@given(run=runs, grades=judgments)
@orders
def test_what_is_written_is_read(run, grades, order):
    qrels = rankscale.read_qrels(grades)
    written = trec.read_run(qrels, text_of(lines_of(run)), order=order, keep_documents=True)
    if order != "rank":
        assert fields_of(rankscale.read_run(qrels, run, order=order, keep_documents=True)) == fields_of(written)
    assert (written.documents or ()) == tuple(
        tuple(ordered(run[topic], order)) for topic in qrels.topics if topic in run
    )


def ordered(ranking: Ranking, order: str) -> list[str]:
    """A ranking written in the order of its dictionary, straight from SPEC 1."""
    names = list(ranking)
    if order in {"file", "rank"}:
        return names
    key = ranking if order == "score64" else {name: ctypes.c_float(score).value for name, score in ranking.items()}
    by_name = sorted(names, key=lambda name: name.encode("utf-8", "surrogateescape"), reverse=True)
    return sorted(by_name, key=lambda name: key[name], reverse=True)


@given(grades=judgments)
def test_qrels_that_are_written_are_read(grades):
    filled = {topic: judged for topic, judged in grades.items() if judged}
    if filled:
        assert trec.read_qrels(qrels_text(filled)) == rankscale.read_qrels(filled)
        assert rankscale.read_qrels(filled).to_dict() == filled


@given(run=runs, grades=judgments, seed=seeds)
@pytest.mark.parametrize("order", ["score", "score64", "rank"])
def test_the_order_of_lines_within_a_topic_does_not_matter(run, grades, seed, order):
    qrels, rng = rankscale.read_qrels(grades), Random(seed)
    lines = lines_of(run, rng)
    by_topic = {topic: [line for line in lines if line.startswith(f"{topic} ")] for topic in run}
    for own in by_topic.values():
        rng.shuffle(own)
    moved = text_of([line for own in by_topic.values() for line in own])
    assert trec.read_run(qrels, moved, order=order, keep_documents=True) == trec.read_run(
        qrels, text_of(lines), order=order, keep_documents=True
    )


@given(run=runs, grades=judgments, seed=seeds)
@pytest.mark.parametrize("order", ["score", "score64", "rank"])
def test_scattered_topics_do_not_matter(run, grades, seed, order):
    qrels, rng = rankscale.read_qrels(grades), Random(seed)
    lines = lines_of(run, rng)
    scattered = rng.sample(lines, len(lines))
    assert trec.read_run(qrels, text_of(scattered), order=order, keep_documents=True) == trec.read_run(
        qrels, text_of(lines), order=order, keep_documents=True
    )


@given(run=runs, grades=judgments, seed=seeds)
def test_in_the_order_of_the_file_topics_may_be_scattered_too(run, grades, seed):
    qrels, rng = rankscale.read_qrels(grades), Random(seed)
    lines = lines_of(run)
    owners = rng.sample([line.split(" ")[0] for line in lines], len(lines))
    left = {topic: iter([line for line in lines if line.startswith(f"{topic} ")]) for topic in run}
    scattered = [next(left[owner]) for owner in owners]
    assert trec.read_run(qrels, text_of(scattered), order="file", keep_documents=True) == trec.read_run(
        qrels, text_of(lines), order="file", keep_documents=True
    )


@given(several=st.lists(runs, min_size=1, max_size=5), grades=judgments)
def test_the_number_of_threads_does_not_matter(several, grades):
    qrels = rankscale.read_qrels(grades)
    texts = [text_of(lines_of(run)) for run in several]
    one, *others = (list(trec.read_runs(qrels, texts, threads=threads, keep_documents=True)) for threads in (1, 2, 8))
    assert one == [trec.read_run(qrels, text, keep_documents=True) for text in texts]
    assert all(other == one for other in others)


@given(run=runs, grades=judgments, depth=st.integers(1, 12))
@orders
def test_a_depth_keeps_the_first_documents(run, grades, depth, order):
    qrels, text = rankscale.read_qrels(grades), text_of(lines_of(run))
    whole = trec.read_run(qrels, text, order=order, keep_documents=True)
    cut = trec.read_run(qrels, text, order=order, keep_documents=True, depth=depth)
    assert (cut.documents or ()) == tuple(ranking[:depth] for ranking in whole.documents or ())
    within = whole.rank <= depth
    assert cut.rank.tolist() == whole.rank[within].tolist()
    assert cut.document.tolist() == whole.document[within].tolist()
    assert cut.last.tolist() == [min(last, depth) for last in whole.last[within].tolist()]


@given(run=runs, grades=judgments, size=st.integers(1, 5))
def test_an_arrow_table_is_read_as_the_file_is(run, grades, size):
    qrels = rankscale.read_qrels(grades)
    rows = [(topic, document, score) for topic, ranking in run.items() for document, score in ranking.items()]
    raw = [
        [value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value for value in row] for row in rows
    ]
    table = pa.table(dict(zip(("topic", "document", "score"), zip(*raw, strict=True), strict=True)))
    chunked = pa.concat_tables([table.slice(start, size) for start in range(0, len(table), size)])
    written = trec.read_run(qrels, text_of(lines_of(run)), keep_documents=True)
    assert fields_of(rankscale.read_run(qrels, chunked, keep_documents=True)) == fields_of(written)
