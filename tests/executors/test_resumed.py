"""Resumed against fresh: whatever changed in between, a resumed job gives what a fresh one gives, or is refused."""

import functools
import os
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import dataset, parquet

import rankscale as rs
from rankscale.errors import InputError
from rankscale.executors import Inline
from rankscale.executors.checkpoints import Checkpointed

QRELS = {"1": {"a": 1}, "2": {"a": 1}}
FIRST = {"topic": ["1", "1", "2"], "document": ["a", "b", "a"], "score": [2.0, 1.0, 1.0]}  # RR 1 and 1
SECOND = {**FIRST, "score": [1.0, 2.0, 1.0]}  # RR 1/2 and 1


def text(columns: dict[str, Any]) -> str:
    rows = zip(columns["topic"], columns["document"], columns["score"], strict=True)
    return "".join(f"{topic} Q0 {document} 1 {score} x\n" for topic, document, score in rows)


def rr(evaluation: rs.Evaluation) -> list[float]:
    """The values of the only run and measure, by topic."""
    return list(evaluation.by_topic(evaluation.runs[0], "RR").values())


def write_file(folder: Path, columns: dict[str, Any]) -> str:
    (folder / "run.txt").write_text(text(columns))
    return str(folder / "run.txt")


def write_path(folder: Path, columns: dict[str, Any]) -> Path:
    return Path(write_file(folder, columns))


def write_link(folder: Path, columns: dict[str, Any]) -> str:
    path, link = write_file(folder, columns), folder / "link.txt"
    if not link.exists():
        link.symlink_to(path)
    return str(link)


def write_same_time(folder: Path, columns: dict[str, Any]) -> str:
    """The same size, and the time of the last change set back."""
    path = write_file(folder, columns)
    os.utime(path, ns=(10**18, 10**18))
    return path


def write_folder(folder: Path, columns: dict[str, Any]) -> str:
    """A folder of parts, as engines write it, of which one is replaced."""
    place = folder / "run.parquet"
    place.mkdir(exist_ok=True)
    parquet.write_table(pa.table(columns).slice(0, 2), place / "part-0.parquet")
    parquet.write_table(pa.table(columns).slice(2), place / "part-1.parquet")
    return str(place)


def write_folder_of_links(folder: Path, columns: dict[str, Any]) -> str:
    write_folder(folder, columns)
    place = folder / "links.parquet"
    if not place.exists():
        place.symlink_to(folder / "run.parquet", target_is_directory=True)
    return str(place)


def address(folder: Path, columns: dict[str, Any]) -> str:
    return f"file://{write_file(folder, columns)}"


def address_in_memory(folder: Path, columns: dict[str, Any]) -> str:
    import fsspec

    with fsspec.open(f"memory://{folder.name}/run.txt", "wb") as file:
        file.write(text(columns).encode())
    return f"memory://{folder.name}/run.txt"


def fifo(folder: Path, columns: dict[str, Any]) -> str:
    path = folder / "fifo"
    if not path.exists():
        os.mkfifo(path)
    threading.Thread(target=path.write_text, args=[text(columns)], daemon=True).start()
    return str(path)


SOURCES: dict[str, Callable[[Path, dict[str, Any]], Any]] = {
    "file": write_file,
    "path": write_path,
    "link": write_link,
    "same time": write_same_time,
    "folder": write_folder,
    "linked folder": write_folder_of_links,
    "file://": address,
    "memory://": address_in_memory,
    "fifo": fifo,
    "bytes": lambda _, columns: text(columns).encode(),
    "open file": lambda _, columns: BytesIO(text(columns).encode()),
    "dictionary": lambda _, columns: {
        t: {d: s for t2, d, s in zip(*columns.values(), strict=True) if t2 == t} for t in ("1", "2")
    },
    "rows": lambda _, columns: list(zip(*columns.values(), strict=True)),
    "pandas": lambda _, columns: pd.DataFrame(columns),
    "polars": lambda _, columns: pl.DataFrame(columns),
    "lazy polars": lambda folder, columns: pl.scan_parquet(f"{write_folder(folder, columns)}/*.parquet"),
    "arrow": lambda _, columns: pa.table(columns),
    "arrow data set": lambda folder, columns: dataset.dataset(write_folder(folder, columns)),
}


@pytest.mark.parametrize("kind", SOURCES)
def test_a_run_that_has_changed_is_never_taken_for_the_old_one(kind: str, tmp_path: Path) -> None:
    made = SOURCES[kind]
    job = tmp_path / "job"
    first = rs.evaluate(QRELS, {"x": made(tmp_path, FIRST)}, "RR", executor=Checkpointed(Inline(), job))
    assert rr(first) == [1.0, 1.0]
    again = rs.evaluate(QRELS, {"x": made(tmp_path, FIRST)}, "RR", executor=Checkpointed(Inline(), job))
    assert again == first
    fresh = rs.evaluate(QRELS, {"x": made(tmp_path, SECOND)}, "RR")
    assert rr(fresh) == [0.5, 1.0]
    with pytest.raises(InputError, match="result 1 is of another run or item"):
        rs.evaluate(QRELS, {"x": made(tmp_path, SECOND)}, "RR", executor=Checkpointed(Inline(), job))


@pytest.mark.parametrize("kind", ["file", "folder", "file://"])
def test_qrels_that_have_changed_are_never_taken_for_the_old_ones(kind: str, tmp_path: Path) -> None:
    def qrels(grade: int) -> str:
        columns = {"topic": ["1"], "document": ["a"], "grade": [grade]}
        if kind == "folder":
            (tmp_path / "qrels.parquet").mkdir(exist_ok=True)
            parquet.write_table(pa.table(columns), tmp_path / "qrels.parquet" / "part-0.parquet")
            return str(tmp_path / "qrels.parquet")
        (tmp_path / "qrels.txt").write_text(f"1 0 a {grade}\n")
        return f"{'file://' * (kind == 'file://')}{tmp_path}/qrels.txt"

    job, run = tmp_path / "job", write_file(tmp_path, FIRST)
    assert rr(rs.evaluate(qrels(1), run, "RR", executor=Checkpointed(Inline(), job))) == [1.0]
    assert rr(rs.evaluate(qrels(0), run, "RR")) == [0.0]
    with pytest.raises(InputError, match="another job"):
        rs.evaluate(qrels(0), run, "RR", executor=Checkpointed(Inline(), job))


@pytest.mark.parametrize("prefix", ["", "file://"])
def test_a_part_of_a_data_set_that_was_replaced_is_seen(prefix: str, tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n2 0 a 1\n")
    rs.partition(tmp_path / "qrels.txt", tmp_path / "qrels", partitions=1)
    rs.partition(write_file(tmp_path, FIRST), tmp_path / "run", like=tmp_path / "qrels")
    rs.partition(write_file(tmp_path, SECOND), tmp_path / "other", like=tmp_path / "qrels")
    words = (f"{prefix}{tmp_path}/qrels", f"{prefix}{tmp_path}/run", "RR")
    job = tmp_path / "job"
    first = rs.evaluate_blocks(*words, executor=Checkpointed(Inline(), job))
    assert first.means().table().columns["RR"] == [1.0]
    os.replace(tmp_path / "other" / "part-00000.parquet", tmp_path / "run" / "part-00000.parquet")
    assert rs.evaluate_blocks(*words).means().table().columns["RR"] == [0.75]
    with pytest.raises(InputError, match="result 1 is of another run or item"):
        rs.evaluate_blocks(*words, executor=Checkpointed(Inline(), job))


# Functions


def adding(number: int) -> Callable[[int], int]:
    """A closure; all that it makes have one name."""

    def add(item: int) -> int:
        return item + number

    return add


def add(number: Any, item: int) -> Any:
    return item + number


def length(path: str, item: int) -> int:
    return len(Path(path).read_text()) + item


@functools.lru_cache
def cached(item: int) -> int:
    return item


@dataclass(frozen=True)
class Adding:
    number: int

    def __call__(self, item: int) -> int:
        return item + self.number


class Plain:
    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self, item: int) -> int:
        return item + self.number

    def add(self, item: int) -> int:
        return item + self.number


class Elsewhere:
    """Is pickled as a name, and stands for what has it."""

    by_name: ClassVar[dict[str, int]] = {}

    def __init__(self, name: str) -> None:
        self.name = name

    def __reduce__(self) -> tuple[Any, ...]:
        return Elsewhere, (self.name,)

    def __call__(self, item: int) -> int:
        return item + self.by_name[self.name]


def local_class(number: int) -> object:
    class Local:
        def __call__(self, item: int) -> int:
            return item + number

    return Local()


REFUSED: dict[str, Callable[[int], Any]] = {
    "closure": adding,
    "lambda": lambda number: lambda item: item + number,
    "partial of a closure": lambda number: partial(adding(number)),
    "partial with a closure": lambda number: partial(map, adding(number)),
    "object of a local class": local_class,
    "object that is pickled as a name": lambda _: Elsewhere("a"),
    "generator": lambda number: partial(add, (one for one in (number,))),
    "lazy frame": lambda _: partial(add, pl.LazyFrame({"a": [1]})),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_functions_that_cannot_be_recognised_are_refused(kind: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be recognised when a job is resumed \(.+\): give "):
        list(Checkpointed(Inline(), tmp_path / "job").map(REFUSED[kind](1), [1]))


TAKEN: dict[str, Callable[[int], Any]] = {
    "partial": lambda number: partial(add, number),
    "dataclass": Adding,
    "object": Plain,
    "method": lambda number: Plain(number).add,
    "numpy": lambda number: partial(np.add, number),
    "masked array": lambda number: np.ma.MaskedArray([1, 2], mask=[number == 1, False]).filled,
}


@pytest.mark.parametrize("kind", TAKEN)
def test_functions_that_hold_something_else_are_another_job(kind: str, tmp_path: Path) -> None:
    def results(number: int) -> list[Any]:
        return [
            np.asarray(one).tolist() for one in Checkpointed(Inline(), tmp_path / "job").map(TAKEN[kind](number), [1])
        ]

    first = results(1)
    assert results(1) == first
    with pytest.raises(InputError, match="another job"):
        results(2)


def test_a_file_that_a_function_is_given_is_part_of_it(tmp_path: Path) -> None:
    def results(text: str) -> list[int]:
        (tmp_path / "text").write_text(text)
        return list(Checkpointed(Inline(), tmp_path / "job").map(partial(length, str(tmp_path / "text")), [1]))

    assert results("a") == [2]
    with pytest.raises(InputError, match="another job"):
        results("ab")


SOURCE = {
    "function": "def work(item):\n    return item + {}\n",
    "default": "def work(item, more={}):\n    return item + more\n",
    "inner function": "def work(item):\n    def inner():\n        return {}\n    return item + inner()\n",
    "cached function": "from functools import cache\n@cache\ndef work(item):\n    return item + {}\n",
    "decorated function": (
        "from functools import wraps\ndef more(number):\n    def decorate(f):\n        @wraps(f)\n"
        "        def inner(x):\n            return f(x) + number\n        return inner\n    return decorate\n"
        "@more({})\ndef work(item):\n    return item\n"
    ),
    "method": "class Work:\n    def __call__(self, item):\n        return item + {}\nwork = Work()\n",
    "inherited method": (
        "class Base:\n    def __call__(self, item):\n        return item + {}\n"
        "class Work(Base):\n    def __init__(self):\n        super().__init__()\nwork = Work()\n"
    ),
    "constant of the module": "MORE = {}\ndef work(item):\n    return item + MORE\n",
    "another function": "def more():\n    return {}\ndef work(item):\n    return item + more()\n",
    "constant of the class": (
        "class Work:\n    more = {}\n    def __call__(self, item):\n        return item + self.more\nwork = Work()\n"
    ),
    "static method": (
        "class Work:\n    @staticmethod\n    def more():\n        return {}\n"
        "    def __call__(self, item):\n        return item + self.more()\nwork = Work()\n"
    ),
    "property": (
        "class Work:\n    @property\n    def more(self):\n        return {}\n"
        "    def __call__(self, item):\n        return item + self.more\nwork = Work()\n"
    ),
}


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Any]]:
    """A module that is written anew and imported."""
    import importlib

    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    def imported(source: str) -> Any:
        (tmp_path / "written_anew.py").write_text(source)
        sys.modules.pop("written_anew", None)
        importlib.invalidate_caches()
        return importlib.import_module("written_anew")

    yield imported
    sys.modules.pop("written_anew", None)


@pytest.mark.parametrize("kind", SOURCE)
def test_a_function_whose_code_has_changed_is_another_job(
    kind: str, tmp_path: Path, module: Callable[[str], Any]
) -> None:
    def results(number: int) -> list[int]:
        return list(Checkpointed(Inline(), tmp_path / "job").map(module(SOURCE[kind].format(number)).work, [1]))

    assert results(1) == [2]
    assert results(1) == [2]
    with pytest.raises(InputError, match="another job"):
        results(2)


@pytest.mark.parametrize("kind", SOURCE)
def test_a_function_that_was_typed_in_is_recognised_by_what_it_refers_to(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a notebook, there is no file of its module."""

    def results(number: int) -> list[int]:
        typed = ModuleType("typed_in")
        monkeypatch.setitem(sys.modules, "typed_in", typed)
        exec(SOURCE[kind].format(number), vars(typed))
        return list(Checkpointed(Inline(), tmp_path / "job").map(typed.work, [1]))

    assert results(1) == [2]
    assert results(1) == [2]
    with pytest.raises(InputError, match="another job"):
        results(2)


def test_a_module_that_is_imported_is_part_of_a_function(tmp_path: Path, module: Callable[[str], Any]) -> None:
    def results(number: int) -> list[int]:
        (tmp_path / "also_written_anew.py").write_text(f"def more():\n    return {number}\n")
        sys.modules.pop("also_written_anew", None)
        work = module("import also_written_anew as other\ndef work(item):\n    return item + other.more()\n").work
        return list(Checkpointed(Inline(), tmp_path / "job").map(work, [1]))

    try:
        assert results(1) == [2]
        assert results(1) == [2]
        with pytest.raises(InputError, match="another job"):
            results(2)
    finally:
        sys.modules.pop("also_written_anew", None)


def test_a_measure_of_ones_own_that_has_changed_is_another_job(tmp_path: Path, module: Callable[[str], Any]) -> None:
    def results(weight: float) -> object:
        source = (
            f"from rankscale.measures.precision import P\nWEIGHT = {weight}\nclass Mine(P):\n"
            "    def norm(self, judged, rank):\n        return super().norm(judged, rank) * WEIGHT\n"
        )
        made = module(source).Mine(depth=1)
        run = {"1": {"a": 1.0}, "2": {"b": 1.0}}
        return rs.evaluate(QRELS, run, made, executor=Checkpointed(Inline(), tmp_path / "job")).to_dict()

    first = results(1.0)
    assert results(1.0) == first
    with pytest.raises(InputError, match="another job"):
        results(2.0)


def test_files_that_a_pattern_names_are_its_content(tmp_path: Path) -> None:
    def results(text: str) -> list[Any]:
        (tmp_path / "part-1").write_text(text)
        items: list[Any] = [os.fsencode(tmp_path / "part-1"), str(tmp_path / "part-*")]
        return list(Checkpointed(Inline(), tmp_path / "job").map(repr, items))

    results("a")
    with pytest.raises(InputError, match="is of another run or item"):
        results("b")


# Items


def test_items_that_are_no_files_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "folder" / "fifo")
    for item in (tmp_path / "fifo", tmp_path / "folder", "/dev/zero"):
        with pytest.raises(InputError, match="not a file, and cannot be recognised"):
            list(Checkpointed(Inline(), tmp_path / "job").map(len, [str(item)]))
    with pytest.raises(InputError, match="cannot be read, and so not be recognised"):
        list(Checkpointed(Inline(), tmp_path / "other job").map(len, ["file:///no/such/file"]))


def test_a_folder_that_links_to_itself_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "itself").symlink_to(tmp_path / "folder", target_is_directory=True)
    (tmp_path / "folder" / "a").write_text("a")
    item = str(tmp_path / "folder")
    assert list(Checkpointed(Inline(), tmp_path / "job").map(len, [item])) == [len(item)]
    (tmp_path / "folder" / "a").write_text("b")
    with pytest.raises(InputError, match="another run or item"):
        list(Checkpointed(Inline(), tmp_path / "job").map(len, [item]))
