"""Executors: results in the order of the items, errors as they were raised, work handed over once."""

import operator
import os
import pickle
from pathlib import Path
from typing import Any

import pytest

from rankscale import errors
from rankscale.errors import FormatError, InputError, MissingExtraError, UnknownNameError
from rankscale.evaluation.evaluate import evaluate
from rankscale.executors import Executor, Inline, executor_named
from rankscale.executors.processes import SAFE_PATH, Processes, safe_path
from rankscale.measures.base.parser import parse

both = pytest.mark.parametrize("executor", [Inline(), Processes(2)], ids=["inline", "processes"])


@both
def test_results_come_in_the_order_of_the_items(executor: Executor) -> None:
    assert list(executor.map(operator.neg, range(50))) == [-number for number in range(50)]


def test_a_slow_item_does_not_change_the_order() -> None:
    assert list(Processes(2).map(sum, [range(5_000_000), range(3), range(4)])) == [12_499_997_500_000, 3, 6]


@both
def test_no_items_give_no_results(executor: Executor) -> None:
    assert list(executor.map(operator.neg, [])) == []


@both
def test_items_may_be_a_generator(executor: Executor) -> None:
    assert list(executor.map(abs, (number for number in (-1, -2)))) == [1, 2]


def test_work_is_done_in_other_processes_and_here_inline() -> None:
    assert list(Inline().map(lambda _: os.getpid(), [1])) == [os.getpid()]
    assert not Inline.reads_elsewhere
    assert Processes.reads_elsewhere
    (parent,) = Processes(1).map(operator.methodcaller("__call__"), [os.getppid])
    assert parent == os.getpid()


@both
def test_an_error_comes_through_with_its_message(executor: Executor) -> None:
    with pytest.raises(errors.ParameterError, match=r"RBP: p must lie"):
        list(executor.map(parse, ["AP", "RBP(p=7)"]))


@both
def test_results_before_an_error_are_given(executor: Executor) -> None:
    results = executor.map(parse, ["AP", "RR", "RBP(p=7)"])
    assert [str(next(results)), str(next(results))] == ["AP", "RR"]
    with pytest.raises(errors.ParameterError):
        next(results)


@both
def test_an_unknown_name_comes_through_with_its_message(executor: Executor) -> None:
    with pytest.raises(UnknownNameError, match=r"unknown measure 'nDGC'; did you mean nDCG\?"):
        list(executor.map(parse, ["nDGC"]))


@pytest.mark.parametrize(
    "error",
    [
        InputError("in"),
        FormatError("there, line 4"),
        errors.DuplicateError("twice"),
        errors.ParameterError("p"),
        UnknownNameError("measure", "nDGC", ["nDCG"], "hint"),
        MissingExtraError("a Parquet file", "pyarrow", "frames"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_every_error_pickles_with_its_message(error: Exception) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)


def test_an_error_of_reading_comes_through_from_a_process(tmp_path: Path) -> None:
    broken = tmp_path / "broken.txt"
    broken.write_text("1 Q0 a 1 2.0 x\n1 Q0\n")
    messages = []
    for executor in (Inline(), Processes(1)):
        with pytest.raises(FormatError) as caught:
            evaluate({"1": {"a": 1}}, broken, "AP", executor=executor)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert f"{broken}, line 2" in messages[0]
    with pytest.raises(FileNotFoundError, match="there is no such file"):
        evaluate({"1": {"a": 1}}, tmp_path / "nope", "AP", executor=Processes(1))


def test_an_open_file_is_read_here(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("1 Q0 a 1 2.0 x\n")
    values = []
    for executor in (Inline(), Processes(1)):
        with (tmp_path / "run").open("rb") as file:
            values.append(evaluate({"1": {"a": 1}}, [file], "AP", executor=executor))
    assert values[0] == values[1]


class Counted:
    """Work that counts how often it is pickled; where it is unpickled it is a function of the library."""

    pickled = 0

    def __reduce__(self) -> tuple[Any, ...]:
        type(self).pickled += 1
        return operator.attrgetter, ("real",)

    def __call__(self, item: Any) -> Any:
        raise AssertionError("done here, not there")


@pytest.mark.parametrize("count", [1, 3])
def test_work_is_pickled_once_for_each_process_and_not_for_each_item(count: int) -> None:
    Counted.pickled = 0
    assert list(Processes(count).map(Counted(), range(40))) == list(range(40))
    assert 1 <= Counted.pickled <= count


def test_two_works_at_once_are_not_mixed_up() -> None:
    executor = Processes(1)
    first, second = executor.map(operator.neg, [1, 2]), executor.map(abs, [-3, -4])
    assert [next(first), next(second), next(first), next(second)] == [-1, 3, -2, 4]


def test_stopping_early_ends_the_processes() -> None:
    results = Processes(2).map(operator.neg, range(10))
    assert next(results) == 0
    results.close()  # type: ignore[attr-defined]  # it is a generator
    with pytest.raises(StopIteration):
        next(results)


def test_an_executor_of_ones_own_is_used() -> None:
    class Backwards:
        """Does the last item first, and gives results in order all the same."""

        reads_elsewhere = True

        def map(self, work: Any, items: Any) -> Any:
            return reversed([work(item) for item in reversed(list(items))])

    qrels = {"1": {"a": 1, "b": 0}}
    runs = {"x": {"1": {"a": 1.0}}, "y": {"1": {"b": 2.0, "a": 1.0}}}
    assert evaluate(qrels, runs, "AP", executor=Backwards()) == evaluate(qrels, runs, "AP")


def test_the_environment_is_as_before_where_processes_start_in_several_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    for before in (None, "yes"):
        monkeypatch.delenv(SAFE_PATH, raising=False)
        if before is not None:
            monkeypatch.setenv(SAFE_PATH, before)
        first, second = safe_path(), safe_path()
        for one in (first, second):
            one.__enter__()
            assert os.environ[SAFE_PATH] == "1"
        first.__exit__(None, None, None)
        assert os.environ[SAFE_PATH] == "1"
        second.__exit__(None, None, None)
        assert os.environ.get(SAFE_PATH) == before


@pytest.mark.parametrize("name", ["processes:2", "dask:2"])
def test_processes_that_are_started_later_import_from_where_they_used_to(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(SAFE_PATH, raising=False)
    executor = executor_named(name)
    try:
        assert list(executor.map(abs, [-1, 2, -3])) == [1, 2, 3]
        assert SAFE_PATH not in os.environ
    finally:
        getattr(executor, "close", lambda: None)()
