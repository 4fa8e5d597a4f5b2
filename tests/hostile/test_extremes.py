"""The worst of what `python -m tests.hostile.search` tries: a megabyte stays within what docs/trust.md states."""

import pytest

from tests.hostile.extremes import COMMANDS, EXTREMES, MEGABYTE, written
from tests.hostile.search import MOST_MEMORY, MOST_SECONDS, measure

WORST = [
    ("topics_times_grades", "evaluate"),
    ("topics_times_grades", "check"),
    ("a_topic_for_each_line", "trec_eval"),
    ("a_topic_for_each_line", "per-topic"),
    ("a_run_for_each_row", "evaluate"),
    ("a_deep_and_many_short_rankings", "curves"),
    ("runs_times_topics", "evaluate"),
    ("json_of_topics", "evaluate"),
    ("deep_json", "evaluate"),
    ("many_columns", "convert"),
    ("subtopics", "evaluate"),
    ("long_names", "per-topic"),
    ("the_same_document", "check"),
    ("parquet_of_long_names", "evaluate"),
    ("parquet_of_differences", "convert"),
    ("arrow_of_one_name_for_all_rows", "convert"),
    ("folder_of_parquet_with_long_names", "evaluate"),
    ("ranx_of_empty_lists", "convert"),
    ("xz_of_topics", "trec_eval"),
    ("runs_of_one_topic", "evaluate"),
    ("a_longer_name_among_runs", "check"),
    ("xz_of_words", "check"),
    ("parquet_of_one_page", "convert"),
    ("parquet_of_large_dictionaries", "evaluate"),
    ("arrow_of_a_dictionary_for_many_batches", "check"),
    ("xz_of_scattered_topics", "check"),
]

LONGEST = [  # up to five seconds
    ("parquet_of_one_value", "check"),
    ("a_run_for_each_row", "check"),
    ("xz_of_grades", "trec_eval"),
    ("xz_of_grades", "curves"),
    ("xz_of_qrels", "per-topic"),
    ("xz_of_json_topics", "curves"),
]


@pytest.mark.parametrize(
    ("name", "command"), [*WORST, *(pytest.param(*case, marks=pytest.mark.slow) for case in LONGEST)]
)
def test_a_megabyte_takes_little(name, command, tmp_path):
    cost = measure(name, command, written(name, tmp_path))
    assert cost.megabytes < MOST_MEMORY, cost
    assert cost.seconds < MOST_SECONDS, cost
    assert not cost.exceeds, cost


def test_the_worst_are_cases():
    assert {name for name, _ in (*WORST, *LONGEST)} <= set(EXTREMES)
    assert {command for _, command in (*WORST, *LONGEST)} <= set(COMMANDS)
    assert MEGABYTE == 1_000_000
