"""Without an optional library the error says what to install, and everything else works."""

import pickle
import sys
from pathlib import Path

import pytest

from rankscale.errors import MissingExtraError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.reporting.report import report

LIBRARIES = ("polars", "pandas", "pyarrow", "pyarrow.parquet")


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> Evaluation:
    """An evaluation, where none of the libraries can be imported."""
    for library in LIBRARIES:
        monkeypatch.setitem(sys.modules, library, None)
    return evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")


@pytest.mark.parametrize(
    ("method", "what", "library"),
    [
        ("to_polars", "a polars data frame", "polars"),
        ("to_pandas", "a pandas data frame", "pandas"),
        ("to_arrow", "an Arrow table", "pyarrow"),
    ],
)
def test_the_error_says_what_to_install(found: Evaluation, method: str, what: str, library: str) -> None:
    with pytest.raises(MissingExtraError) as caught:
        getattr(found, method)()
    assert str(caught.value) == (f"{what} needs {library}, which is not installed: pip install 'rankscale[frames]'")
    assert isinstance(caught.value, ImportError)


def test_parquet_says_what_to_install_and_leaves_no_file(found: Evaluation, tmp_path: Path) -> None:
    with pytest.raises(MissingExtraError) as caught:
        found.write(tmp_path / "values.parquet")
    # what pip knows is pyarrow; pyarrow.parquet is a part of it
    assert str(caught.value) == (
        "a Parquet file needs pyarrow, which is not installed: pip install 'rankscale[frames]'"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_report_says_so_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(MissingExtraError, match=r"^a report needs jinja2, .*: pip install 'rankscale\[report\]'$"):
        report("no such file", "nor this one")


def test_all_other_forms_need_none_of_them(found: Evaluation) -> None:
    assert found.to_json()
    assert found.to_latex()
    assert found.to_markdown()
    assert found._repr_html_()
    assert found.to_dict() == {"run": {"1": {"AP": 1.0}}}
    assert pickle.loads(pickle.dumps(found)) == found
