"""What the tests of the formats share: the example as rankscale reads it from bytes."""

from collections.abc import Callable

import pytest

from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.inputs import trec
from tests.inputs.example import qrels_text, run_text


@pytest.fixture(scope="session")
def qrels() -> Qrels:
    return trec.read_qrels(qrels_text())


@pytest.fixture(scope="session")
def run(qrels) -> Run:
    return trec.read_run(qrels, run_text(), keep_documents=True)


@pytest.fixture(scope="session")
def holds_the_same(run: Run) -> Callable[[Run], bool]:
    """Whether a run holds what the example does; a table has no tag, so its run is named otherwise."""

    def compare(other: Run) -> bool:
        return fields_of(other) == fields_of(run)

    return compare


def fields_of(run: Run) -> tuple[object, ...]:
    columns = (run.rows, run.length, run.starts, run.rank, run.document, run.first, run.last)
    return (*(column.tolist() for column in columns), run.unknown_topics, run.documents)
