"""A signature is all that is needed to get a number again: other settings, another signature."""

from itertools import combinations
from typing import Any

import rankscale
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.options import Missing
from rankscale.evaluation.result import Evaluation
from rankscale.inputs.read import read_qrels, read_run

QRELS = {"1": {"a": 1, "b": 2, "c": 0}, "2": {"a": 1}}
RUN = {"1": {"b": 2.0, "a": 1.0, "x": 0.5}, "2": {"z": 3.0, "a": 1.0}}
SETTINGS: list[dict[str, Any]] = [
    {},
    {"missing": "skip"},
    {"judged_only": True},
    {"depth": 1},
    {"depth": 2},
    {"order": "score64"},
    {"order": "file"},
    {"negative": "not relevant"},
    {"grades": {2: 1}},
    {"grades": {2: 3}},
    {"grades": {1: 2}},
    {"grades": [0, 1, 1]},
    {"grades": [0, 0, 1]},
    {"depth": 2, "missing": "common"},
]


def signed(**settings: Any) -> str:
    return evaluate(QRELS, RUN, "AP", **settings).signature


def test_each_setting_changes_the_signature() -> None:
    for a, b in combinations(SETTINGS, 2):
        assert signed(**a) != signed(**b), (a, b)


def test_what_changes_no_number_does_not_change_the_signature() -> None:
    assert signed() == signed(threads=1) == signed(max_size=10_000) == signed(progress=lambda *_: None)


def test_the_version_is_in_it() -> None:
    assert signed().endswith(f"|v:{rankscale.__version__}")


def test_one_setting_has_one_signature_however_its_numbers_are_written() -> None:
    # the command line gives {2.0: 1.0} for --grades 2=1
    assert signed(grades={2: 1}) == signed(grades={2.0: 1.0})
    assert signed(grades=[0, 1, 1]) == signed(grades=(0, 1, 1)) == signed(grades=[0.0, 1.0, 1.0])


def test_leaving_topics_out_changes_the_signature() -> None:
    runs = {"a": RUN, "b": {"1": RUN["1"]}}
    rules: tuple[Missing, ...] = ("zero", "skip", "common")
    several = [evaluate(QRELS, runs, "AP", missing=rule) for rule in rules]
    for one, other in combinations(several, 2):
        assert one.means().to_dict() != other.means().to_dict()
        assert one.signature != other.signature


def test_a_signature_never_names_a_setting_that_was_not_heeded() -> None:
    """A run that was read before cannot be ordered or cut again: it is refused, or done."""
    qrels = read_qrels(QRELS)
    run = read_run(qrels, RUN, name="run")
    expected = evaluate(qrels, RUN, "AP", depth=1)
    found: Evaluation | None
    try:
        found = evaluate(qrels, run, "AP", depth=1)
    except rankscale.errors.InputError:
        found = None
    assert found is None or found.values.tobytes() == expected.values.tobytes()


def test_runs_read_with_other_qrels_are_refused() -> None:
    run = read_run({"1": {"a": 0, "b": 1}}, {"1": {"b": 2.0, "a": 1.0}}, name="run")
    other = {"1": {"c": 1, "d": 1}}  # knows neither of the run's documents
    found: Evaluation | None
    try:
        found = evaluate(other, run, "AP")
    except rankscale.errors.InputError:
        found = None
    assert found is None or found.values.item() == 0.0
