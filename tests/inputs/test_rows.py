from typing import Any

import ir_datasets
import ir_measures
import pytest
from ir_datasets.formats import GenericQrel, GenericScoredDoc, TrecQrels, TrecScoredDocs
from ir_datasets.util import LocalDownload

import rankscale
from rankscale.errors import FormatError
from tests.inputs.example import QRELS_ROWS, RUN_ROWS, qrels_text, run_text


def test_rows_of_ir_measures_are_read(qrels, holds_the_same):
    assert rankscale.read_qrels([ir_measures.Qrel(*row) for row in QRELS_ROWS]) == qrels
    rows = [ir_measures.ScoredDoc(*row) for row in RUN_ROWS]
    assert holds_the_same(rankscale.read_run(qrels, rows, keep_documents=True))


def test_qrels_may_be_an_iterator(qrels):
    assert rankscale.read_qrels(ir_measures.Qrel(*row) for row in QRELS_ROWS) == qrels


def test_rows_of_ir_datasets_are_read(qrels, holds_the_same):
    assert rankscale.read_qrels([GenericQrel(*row) for row in QRELS_ROWS]) == qrels
    rows = [GenericScoredDoc(*row) for row in RUN_ROWS]
    assert holds_the_same(rankscale.read_run(qrels, rows, keep_documents=True))


def test_objects_of_ir_datasets_are_read(tmp_path, qrels, holds_the_same):
    (tmp_path / "qrels").write_bytes(qrels_text())
    (tmp_path / "run").write_bytes(run_text())
    assert rankscale.read_qrels(TrecQrels(LocalDownload(tmp_path / "qrels"), {})) == qrels
    assert rankscale.read_qrels(ir_datasets.create_dataset(qrels_trec=tmp_path / "qrels")) == qrels
    scored = TrecScoredDocs(LocalDownload(tmp_path / "run"))
    assert holds_the_same(rankscale.read_run(qrels, scored, keep_documents=True))


def test_a_collection_that_ir_datasets_does_not_know_is_told():
    with pytest.raises(ValueError, match="irds:no/such: ir_datasets knows no such collection"):
        rankscale.read_qrels("irds:no/such")


def test_rows_without_the_fields_are_told(qrels):
    rows = [ir_measures.Qrel("301", "FT1", 1)]
    with pytest.raises(FormatError) as error:
        rankscale.read_run(qrels, rows)
    assert str(error.value).startswith(
        "expected a column with the score or rank, named score, sim, similarity, relevancescore, retrievalscore or "
        "rank, found query_id"
    )


def test_a_null_names_its_row(qrels):
    with pytest.raises(FormatError) as error:
        rankscale.read_qrels([GenericQrel("1", "a", 1), GenericQrel("1", None, 1)])
    assert str(error.value) == "row 1: expected a name as document, found nothing (null)"


@pytest.mark.parametrize("rows", [[["1", "a", 3.0, "x"]], [["1", "a"]]])
def test_rows_without_names_are_told_what_to_be(rows: Any) -> None:
    with pytest.raises(FormatError, match="named tuples"):
        rankscale.evaluate({"1": {"a": 1}}, rows, "AP")
