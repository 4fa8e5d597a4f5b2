"""`rankscale pool`: judgments written in TREC form, and what runs brought."""

import gzip
import json

import polars as pl
import pytest

import rankscale as rs

COVERAGE = (
    "The pool of 2 runs at depth 1 holds 2 of 4 judged documents, 1 of 3 relevant ones; "
    "1 of the 3 documents that runs bring are unjudged.\n"
)


def test_judgments_to_standard_output_and_files(rankscale, qrels, good, part, tmp_path):
    found = rankscale("pool", qrels, good, part, "--pool-depth", "1")
    missing = f"warning: 1 of 2 topics in {qrels} is missing from {part} (2) and counted as an empty ranking\n"
    assert (found.code, found.out, found.err) == (0, "1 0 a 2\n1 0 b 0\n", missing + COVERAGE)
    path = tmp_path / "pool.qrels"
    written = rankscale("pool", qrels, good, part, "--pool-depth", "1", "-o", path)
    assert (written.out, path.read_text()) == ("", found.out)
    packed = tmp_path / "pool.gz"
    rankscale("pool", qrels, good, part, "--pool-depth", "1", "-o", packed)
    assert gzip.decompress(packed.read_bytes()) == found.raw


def test_deeper_and_of_chosen_runs(rankscale, qrels, good, part):
    whole = rankscale("pool", qrels, good, part, "--pool-depth", "9")
    assert rs.read_qrels(whole.raw).to_dict() == rs.read_qrels(qrels).to_dict()
    alone = rankscale("pool", qrels, good, part, "--pool-depth", "9", "--pooled", "part")
    assert alone.out == "1 0 a 2\n"
    assert "all its documents are judged" in alone.err


def test_tables_in_every_form(rankscale, qrels, good, part, tmp_path):
    asked = ("pool", qrels, good, part, "--pool-depth", "1", "--table", "runs")
    lines = [json.loads(line) for line in rankscale(*asked, "--format", "jsonl").out.splitlines()]
    columns = ("run", "ranked", "judged", "relevant", "alone", "relevant_alone", "unjudged")
    assert lines == [
        dict(zip(columns, ("good", 2, 1, 0, 1, 0, 1), strict=True)),
        dict(zip(columns, ("part", 1, 1, 1, 1, 1, 0), strict=True)),
    ]
    document = json.loads(rankscale(*asked, "--format", "json").out)
    assert document["rows"] == lines
    assert document["signature"].startswith("study:pool|pool-depth:1|rel:1|order:score|")
    path = tmp_path / "runs.parquet"
    rankscale(*asked, "-o", path)
    assert pl.read_parquet(path).to_dicts() == lines
    people = rankscale("pool", qrels, good, part, "--pool-depth", "1", "--table", "topics")
    assert people.words[0][0] == "topic"
    assert people.err.endswith(COVERAGE)


def test_what_is_still_to_be_judged_is_listed(rankscale, qrels, good, part):
    listed = rankscale("pool", qrels, good, part, "--pool-depth", "2", "--table", "unjudged", "--format", "tsv")
    # x is in no qrels, and d has a negative grade.
    assert listed.out.splitlines() == ["topic\tdocument\tbest_rank\truns", "2\tx\t1\t1", "2\td\t2\t1"]
    assert listed.err.endswith("2 of 3 relevant ones; 2 distinct documents still to judge.\n")


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ((), "--pool-depth"),
        (("--pool-depth", "0"), "0 is not in the range"),
        (("--pool-depth", "1", "--format", "json"), "--format, --digits, --caption and --label are about tables"),
        (("--pool-depth", "1", "--pooled", "god"), "unknown run 'god'; did you mean good?"),
        (("--pool-depth", "1", "-o", "nowhere/pool.qrels"), "there is no folder nowhere"),
        (("--pool-depth", "1", "--table", "runs", "--format", "parquet"), "Parquet goes to a file"),
    ],
)
def test_bad_input(rankscale, qrels, good, part, asked, words):
    found = rankscale("pool", qrels, good, part, *asked)
    assert (found.code, found.out) == (2, "")
    assert words in found.err


def test_documents_to_judge_next(rankscale, qrels, good, part, tmp_path):
    listed = rankscale("pool", qrels, good, part, "--next", "5", "--weight", "RBP(p=0.5)", "--format", "jsonl")
    expected = rs.next_judgments(qrels, [good, part], 5, weight="RBP(p=0.5)")
    assert listed.rows == list(expected.table("next"))
    assert [(row["topic"], row["document"]) for row in listed.rows] == [("2", "x"), ("2", "d")]
    assert listed.err.endswith(expected.sentence() + "\n")
    by_default = rankscale("pool", qrels, good, part, "--next", "5", "--format", "jsonl")
    assert by_default.rows == list(rs.next_judgments(qrels, [good, part], 5, weight="RBP(p=0.8)").table("next"))
    assert (
        rankscale("pool", qrels, good, part, "--next", "5", "--weight", "rbp", "--format", "jsonl").out
        == by_default.out
    )
    path = tmp_path / "next.tsv"
    rankscale("pool", qrels, good, part, "--next", "5", "--pool-depth", "1", "--per-topic", "-o", path)
    assert path.read_text().splitlines()[0].split("\t")[:4] == ["topic", "document", "weight", "runs"]
    assert len(path.read_text().splitlines()) == 2
    document = json.loads(
        rankscale("pool", qrels, good, part, "--next", "5", "--table", "runs", "--format", "json").out
    )
    assert [row["run"] for row in document["rows"]] == ["good", "part"]
    assert document["signature"].startswith("study:pool|next:5|weight:RBP|order:score|")


def test_judgments_that_an_accuracy_takes(rankscale, qrels, good):
    asked = ("pool", qrels, good, "--weight", "RBP(p=0.5)")
    enough = rankscale(*asked, "--accuracy", "0.5", "--stop", "every")
    assert enough.code == 0
    assert "to get a residual of every run below 0.5." in enough.err
    assert (
        "cannot be reached: judging every document that runs rank leaves"
        in rankscale(*asked, "--accuracy", "0.001").refused
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((), "Missing option '--pool-depth': the depth of the pool, such as 100; or give --next N or --accuracy A"),
        (("--pool-depth", "5", "--weight", "RBP"), "--weight goes with --next N or --accuracy A"),
        (("--pool-depth", "5", "--per-topic"), "--per-topic goes with --next N or --accuracy A"),
        (("--pool-depth", "5", "--table", "next"), "--table next needs --next N or --accuracy A"),
        (("--next", "5", "--table", "unjudged"), "--table unjudged does not go with --next and --accuracy"),
        (("--next", "5", "--weight", "AP"), "a sum over ranks, such as RBP(p=0.8), DCG@10 or P@10, and AP is not one"),
        (("--next", "0"), "0 is not in the range x>=1"),
        (("--accuracy", "0"), "the accuracy is a number above 0, such as 0.01, got 0"),
    ],
)
def test_misuse_of_next(rankscale, qrels, good, options, message):
    assert message in " ".join(rankscale("pool", qrels, good, *options).refused.split())


def test_without_qrels_all_documents_are_to_be_judged(rankscale, good, part, tmp_path):
    listed = rankscale("pool", good, part, "--pool-depth", "2", "--format", "tsv")
    assert listed.code == 0
    runs = [rs.read_run({"1": {"": 0}, "2": {"": 0}}, path, keep_documents=True) for path in (good, part)]
    expected = {}
    for run in runs:
        for topic, names in zip(run.rows.tolist(), run.documents, strict=True):
            for rank, name in enumerate(names[:2], start=1):
                best, count = expected.get((str(topic + 1), name), (rank, 0))
                expected[str(topic + 1), name] = (min(best, rank), count + 1)
    rows = [line.split("\t") for line in listed.out.splitlines()[1:]]
    assert {(topic, name): (int(best), int(count)) for topic, name, best, count in rows} == expected
    assert listed.err == (
        f"The pool of 2 runs at depth 2 has {len(expected)} distinct documents still to judge, as there are no qrels.\n"
    )
    alone = rankscale("pool", part, "--pool-depth", "2", "-o", tmp_path / "to-judge.tsv")
    assert (alone.code, alone.out) == (0, "")
    assert (tmp_path / "to-judge.tsv").read_text().splitlines()[0] == "topic\tdocument\tbest_rank\truns"
    assert "--next needs qrels" in rankscale("pool", good, part, "--next", "3").refused
    made = rs.pool(None, {"x": {"10": {"a": 2.0}, "9": {"b": 1.0}}}, 1)
    assert made.to_judge.columns == {"topic": ["10", "9"], "document": ["a", "b"], "best_rank": [1, 1], "runs": [1, 1]}


def test_a_pool_of_no_runs(rankscale, qrels):
    assert "Missing argument 'RUN...'" in rankscale("pool", qrels, "--pool-depth", "2").refused
