"""Every function and class of `_core`: arguments that are right, and objects that are wrong in every way we know of.

`python -m tests.core.border_cases` calls each with one argument wrong at a time. It prints what is called before it is,
so that the last line tells where the process ended, if it did.
"""

import array
import ctypes
import mmap
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from rankscale import _core
from rankscale.errors import RankscaleError

OPTIONS: dict[str, Any] = {
    "order": None,
    "depth": None,
    "keep_documents": True,
    "keep_scores": False,
    "duplicates": "error",
    "document_from": None,
    "form": None,
    "columns": (),
}
ERRORS = (
    *(RankscaleError, ArithmeticError, LookupError, TypeError, ValueError, OSError, AttributeError),
    *(BufferError, MemoryError, RuntimeError),
)
RUN, QRELS = b"1 Q0 a 1 2.5 tag\n1 Q0 b 2 1.5 tag\n", b"1 0 a 1\n1 0 b 0\n2 0 a 2\n"
TABLE = pa.table({"t": ["1", "1"], "d": ["a", "b"], "n": [2.5, 1.5]})
ROWS = [(None, "1", "a", 2.5), (None, "1", "b", 1.5)]


def options(**changes: object) -> SimpleNamespace:
    return SimpleNamespace(**{**OPTIONS, **changes})


def index() -> _core.Index:
    return _core.Index([b"1", b"2"], [[b"a", b"b"], [b"a"]])


def numbers(kind: str, *values: float) -> np.ndarray:
    return np.array(values, dtype=kind)


def columns() -> list[np.ndarray]:
    return [numbers("i4", 1, 2, 1), numbers("i4", 0, 1, 0), numbers("i4", 1, 1, 1), numbers("i4", 2, 2, 1)]


def table_of_values() -> tuple[Any, ...]:
    beside = [(b"upper", numbers("f8", 1, 1, 1, 1), numbers("f8", 1, 1))]
    values = numbers("f8", 0.5, 0.25, 1, 0), numbers("u1", 1, 0), numbers("f8", 0.5, 0.5)
    return ("tsv", [b"1", b"2"], [b"AP", b"P"], [(b"run", *values, beside), (b"other", *values, [])], None)


RANKINGS = [numbers("i8", 0, 2), numbers("i8", 2, 3)]
CODES = (numbers("i2", 1, 0, 2), numbers("i8", 0, 2))
KEYS = numbers("i8", -5, 0, 7)

# Right arguments, made anew for each call.
SOUND: dict[str, Callable[[], tuple[Any, ...]]] = {
    "Index": lambda: ([b"1", b"2"], [[b"a", b"b"], [b"a"]]),
    "Index.documents": lambda: (index(), 0),
    "Index.row": lambda: (index(), 0, b"b"),
    "Index.topics": lambda: (index(),),
    "Index.fingerprint": lambda: (index(),),
    "Reading": lambda: (),
    "Listing": lambda: (),
    "read_qrels": lambda: ([("q", QRELS)], "rankscale", options(), "aspects", None),
    "pick_columns": lambda: ("run", ["qid", "docid", "score"], [("score", "score")], True),
    "column_names": lambda: (),
    "starts_json": lambda: (b'{"1": {"a": 2}}',),
    "qrels_from_rows": lambda: (ROWS, "max"),
    "qrels_from_dict": lambda: ({"1": {"a": 1, "b": 0.5}},),
    "qrels_from_arrow": lambda: (TABLE, ("t", "d", "n", None), "max"),
    "judge_files": lambda: (index(), [("r", RUN), ("s", RUN)], options(), "rankscale", None, 2),
    "list_rankings": lambda: ("r", RUN, options(), True, False, None),
    "list_rows": lambda: (ROWS, options(), "score", (False, True), True),
    "list_arrow": lambda: (TABLE, ("t", "d", "n", None), options(), "score", True),
    "judge_rows": lambda: (index(), ROWS, options(), "score", (False, True)),
    "judge_arrow": lambda: (index(), TABLE, ("t", "d", "n", None), options(), "score", (True, 0)),
    "judge_dictionary": lambda: (index(), {"1": {"a": 2.5, "b": 1.5}}, options()),
    "keep_freed_memory": lambda: (),
    "memory_state": lambda: (),
    "set_memory_limit": lambda: (None,),
    "level_counts": lambda: (numbers("i2", 0, 1, 1), numbers("i8", 0, 2, 3), 2),
    "every_rank": lambda: ([column[:2] for column in columns()], numbers("i2", 0, 1), 2, 5),
    "entries": lambda: (columns()[:2], RANKINGS, *CODES),
    "padded": lambda: (columns()[0], RANKINGS, -1),
    "kept_entries": lambda: (columns()[:2], RANKINGS, *CODES, b"\1\0\1", b"\0\1\1"),
    "values_as_text": table_of_values,
    "trec_eval_lines": lambda: (
        [
            (b"num_q", "count", numbers("f8", 1, 2)),
            (b"map", "real", numbers("f8", 0.5, 0)),
            (b"r", "text", [b"1", b""]),
        ],
        [b"1", b"2"],
    ),
    "sums_below": lambda: (KEYS, KEYS, numbers("i8", 2, 7), 1, (numbers("u8", 0, 1, 2, 9), numbers("u8", 0, 1, 2, 3))),
    "sums_near": lambda: (KEYS, KEYS, 2, 1, 100),
}


class LongSequence(Sequence[bytes]):
    """It says that it has more items than there is memory, and has one."""

    def __init__(self, length: int, item: object = b"a") -> None:
        self.length, self.item = length, item

    def __len__(self) -> int:
        return self.length

    def __getitem__(self, place: Any) -> Any:
        if place:
            raise IndexError
        return self.item


class Failing:
    """Whatever it is asked for raises an error that nobody expects."""

    def _fail(self, *_: object) -> Any:
        raise ZeroDivisionError("no answer")

    __len__ = __getitem__ = __iter__ = __float__ = __index__ = __str__ = __repr__ = __bool__ = __fspath__ = _fail
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        raise ZeroDivisionError(name)


class Shrinking(list[Any]):
    """A list that loses its items while it is read."""

    def __iter__(self) -> Iterator[Any]:
        while self:
            yield self.pop()
            self.clear()


class Number:
    """A number, or a place, that is another one each time."""

    def __init__(self) -> None:
        self.value = 0

    def __index__(self) -> int:
        self.value = self.value * -3 + 1
        return self.value

    __int__ = __index__

    def __float__(self) -> float:
        return float(self.__index__())


class Changing(dict[Any, Any]):
    """A dictionary whose values change it when their numbers are read."""

    def __init__(self) -> None:
        super().__init__({f"d{place}": Emptying(self) for place in range(40)})


class Emptying:
    def __init__(self, held: dict[Any, Any]) -> None:
        self.held = held

    def __float__(self) -> float:
        self.held.clear()
        self.held.update({bytes([place]): 1.0 for place in range(100)})
        return 1.0


class Stream:
    """What it gives for a table is none."""

    def __init__(self, given: object) -> None:
        self.given = given

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.given


def unaligned(kind: str) -> np.ndarray:
    return np.frombuffer(bytes(65), dtype="u1")[1:].view(kind)


def read_only(kind: str) -> np.ndarray:
    made = numbers(kind, 0, 2, 3)
    made.flags.writeable = False
    return made


def unmapped() -> memoryview:
    return memoryview(mmap.mmap(-1, 4096)).cast("h")


def released() -> memoryview:
    lent = memoryview(bytearray(6))
    lent.release()
    return lent


def of_kinds(what: str, kinds: Sequence[str], make: Callable[[str], Any]) -> dict[str, Callable[[], Any]]:
    return {f"{what} {kind}": partial(make, kind) for kind in kinds}


# Wrong objects, made anew for each call.
WRONG: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "a class": lambda: int,
    "text": lambda: "x\ud800",
    "empty text": str,
    "NUL": lambda: "a\0b",
    "long text": lambda: "x" * 100_000,
    "bytes": lambda: b"\xff\0\n",
    "empty bytes": bytes,
    "no items": list,
    "list of None": lambda: [None, None],
    "nested": lambda: [[[[[]]]]],
    "a set": lambda: {1, 2},
    "-1": lambda: -1,
    "0": lambda: 0,
    "2**31": lambda: 1 << 31,
    "2**62": lambda: 1 << 62,
    "2**63": lambda: 1 << 63,
    "2**64": lambda: 1 << 64,
    "-2**63": lambda: -(1 << 63),
    "10**5000": lambda: 10**5000,
    "1e308": lambda: 1e308,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "True": lambda: True,
    "object": object,
    "failing": Failing,
    "other each time": Number,
    "long sequence": lambda: LongSequence(1 << 62),
    "2**40 items": lambda: LongSequence(1 << 40),
    "long sequence of pairs": lambda: LongSequence(1 << 40, ("x", b"y")),
    "negative length": lambda: LongSequence(-1),
    "shrinking list": lambda: Shrinking([b"1", b"2"]),
    "shrinking pairs": lambda: Shrinking([("x", b"y"), ("z", b"w")]),
    "changing dictionary": Changing,
    "dictionary of changing ones": lambda: {"1": Changing(), "2": Changing()},
    "wrong dictionary": lambda: {None: {b"x": "y"}, "1": [1]},
    "same names": lambda: {"1": {"a": 1, b"a": 2}, b"1": {"a": 1}},
    "endless of wrong ones": lambda: ((None, None) for _ in range(10)),
    "stream of nothing": lambda: Stream(None),
    "stream of itself": lambda: Stream(Stream(1)),
    "no options": SimpleNamespace,
    "wrong options": lambda: options(columns=LongSequence(1 << 62), depth=-1),
    "wrong order": lambda: options(order="\0", duplicates="none", form="x"),
    "deep": lambda: options(depth=(1 << 64) - 1, document_from="(((((a{1000}){1000}){1000}){1000}))"),
    "no group": lambda: options(document_from="[", keep_scores=True, order="file"),
    "index": index,
    "exhausted": lambda: list(_core.judge_files(index(), [("r", RUN)], options(), "rankscale", None, 1)),
    **of_kinds("array", ("i1", "u2", "i4", "i8", "f4", "f8", "?"), lambda kind: numbers(kind, 0, 1, 2)),
    **of_kinds("foreign", (">i2", ">i4", ">i8", ">f8", ">u8"), lambda kind: numbers(kind, 0, 2, 3)),
    **of_kinds("unaligned", ("i2", "i4", "i8", "f8"), unaligned),
    **of_kinds("read-only", ("i2", "i4", "i8", "f8"), read_only),
    **of_kinds("empty", ("i2", "i4", "i8", "u8", "f8", "u1"), numbers),
    **of_kinds("every other", ("i2", "i4", "i8", "f8"), lambda kind: np.arange(6, dtype=kind)[::2]),
    **of_kinds("backwards", ("i2", "i4", "i8", "f8"), lambda kind: np.arange(3, dtype=kind)[::-1]),
    **of_kinds("lowest", ("i2", "i4", "i8"), lambda kind: np.full(3, np.iinfo(kind).min, dtype=kind)),
    **of_kinds("highest", ("i2", "i4", "i8", "u8"), lambda kind: np.full(3, np.iinfo(kind).max, dtype=kind)),
    **of_kinds("table", ("i2", "i4", "i8", "f8"), lambda kind: np.zeros((3, 2), dtype=kind)),
    **of_kinds("broadcast", ("i2", "i4", "i8"), lambda kind: np.broadcast_to(numbers(kind, 1), (3,))),
    "no dimension": lambda: np.array(1, dtype="i8"),
    "objects": lambda: np.array([None, "x"], dtype=object),
    "records": lambda: np.zeros(3, dtype=[("a", "i2"), ("b", "f8")]),
    "dates": lambda: np.zeros(3, dtype="M8[s]"),
    "array.array": lambda: array.array("q", [0, 2, 3]),
    "array of characters": lambda: array.array("u", "abc"),
    "bytearray": lambda: bytearray(6),
    "ctypes of the other order": lambda: (ctypes.c_int32.__ctype_be__ * 3)(1, 2, 3),
    "memory of a file": unmapped,
    "released memory": released,
    "far too long starts": lambda: np.concatenate([np.zeros(1_000_000, dtype="i8"), numbers("i8", 3)]),
}


def called(name: str) -> Any:
    """The function of a name, or what a property of a class gives."""
    owner, _, method = name.partition(".")
    if not method:
        return getattr(_core, name)
    attribute = getattr(getattr(_core, owner), method)
    return attribute if callable(attribute) else attribute.__get__


def outcome(name: str, arguments: Sequence[Any]) -> Any:
    """What a call gives, read to its end; errors of Python and ours are answers, too."""
    try:
        given = called(name)(*arguments)
        return list(given) if isinstance(given, (_core.Reading, _core.Listing)) else given
    except Exception as error:  # a panic of the core is no Exception
        if "internal error" in str(error):
            raise AssertionError(f"{name}: {error}") from error
        return error


def spelled(answer: Any) -> str:
    """An answer as text, without the addresses of objects."""
    return re.sub(r" at 0x[0-9a-f]+", "", repr(answer))


def with_wrong_ones(arguments: tuple[Any, ...], wrong: Callable[[], Any]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The arguments with one of them wrong, or one item of one."""
    for place, right in enumerate(arguments):
        yield f"argument {place}", (*arguments[:place], wrong(), *arguments[place + 1 :])
        if isinstance(right, (list, tuple)):
            for at, item in enumerate(right):
                changed = type(right)([*right[:at], wrong(), *right[at + 1 :]])
                yield f"argument {place}, item {at}", (*arguments[:place], changed, *arguments[place + 1 :])
                if isinstance(item, (list, tuple)):
                    inner = type(item)([wrong(), *item[1:]])
                    changed = type(right)([*right[:at], inner, *right[at + 1 :]])
                    yield f"argument {place}, item {at}, 0", (*arguments[:place], changed, *arguments[place + 1 :])
        if isinstance(right, SimpleNamespace):
            for field in OPTIONS:
                yield f"option {field}", (*arguments[:place], options(**{field: wrong()}), *arguments[place + 1 :])


VARYING = {"memory_state"}  # what they give changes by itself


def main() -> None:
    for name, sound in SOUND.items():
        expected = spelled(outcome(name, sound()))
        for label, wrong in WRONG.items():
            for where, arguments in with_wrong_ones(sound(), wrong):
                print(f"{name}, {where}: {label}", flush=True)
                answer = outcome(name, arguments)
                assert not isinstance(answer, Exception) or isinstance(answer, ERRORS), repr(answer)
            assert name in VARYING or spelled(outcome(name, sound())) == expected, f"{name} changed by {label}"
    print("done", flush=True)


if __name__ == "__main__":
    main()
