"""The length of Twist, which every report draws: a caution of the page, and a warning only where it was requested."""

import pytest

from rankscale.reporting.report import report

WORDS = "rankings hold at most 5 documents, and N is 1000"


@pytest.mark.parametrize(("measures", "told"), [(["AP"], False), (["AP", "Twist"], True), (["AP", "Twist@5"], False)])
def test_the_length_of_effort_is_told_where_it_was_requested(measures: list[str], told: bool) -> None:  # noqa: FBT001
    qrels = {str(topic): {"d1": 1, "d3": 2} for topic in range(6)}
    runs = {
        name: {topic: {f"d{(rank + shift) % 5}": 5.0 - rank for rank in range(5)} for topic in qrels}
        for shift, name in enumerate(("one", "two"))
    }
    page = report(qrels, runs, measures)
    assert any(WORDS in text for text in page.warnings) == told
    assert (WORDS in page.html()) == ("Twist@5" not in measures)
