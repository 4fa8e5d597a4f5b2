"""Kinds of option values: how their texts are read, and the message for those that cannot be."""

import math
import re
from collections.abc import Callable
from typing import Generic, Literal, TypeVar

import click

from rankscale.errors import echoed

SIZES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
UNJUDGED = "-"
LARGEST = 2**31 - 1  # of ranks and counts
Value = TypeVar("Value")
DrawCount = int | Literal["all"]
GainsText = str | list[float] | dict[float, float]  # a word, a list or a map


class ParsedText(click.ParamType[Value], Generic[Value]):
    """Texts that one function reads; it raises ValueError for those that it cannot."""

    def __init__(self, name: str, parse: Callable[[str], Value], expected: str) -> None:
        self.name = name
        self.parse = parse
        self.expected = expected

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> Value:
        """The value; a default that is one already stays as it is."""
        if not isinstance(value, str):
            return value  # type: ignore[return-value]
        try:
            return self.parse(value)
        except ValueError:
            self.fail(f"expected {self.expected}, found {echoed(value)}", param, ctx)


class PositiveInteger(click.IntRange):
    """Whole numbers from 1 to the largest of ranks and counts; help says the first, errors also the last."""

    def convert(self, value: int, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number."""
        number = super().convert(value, param, ctx)
        if number > LARGEST:
            self.fail(f"{echoed(number)} is more than {LARGEST}.", param, ctx)
        return number


def _checked(value: Value, *, fits: bool) -> Value:
    if not fits:
        raise ValueError
    return value


def _number(text: str) -> float:
    return _checked(float(text), fits=math.isfinite(float(text)))


def _share(text: str) -> float:
    return _checked(float(text), fits=0 < float(text) < 1)


def _difference(text: str) -> float | str:
    is_share = text.strip().endswith("%")
    number = _number(text.strip().removesuffix("%"))
    return _checked(text.strip() if is_share else number, fits=0 < number < (100 if is_share else math.inf))


def _shares(text: str) -> tuple[float, ...]:
    return tuple(_share(part) for part in text.split(","))


def _draws(text: str) -> DrawCount:
    return "all" if text.strip() == "all" else _checked(int(text), fits=int(text) >= 1)


def _size(text: str) -> int:
    read = re.fullmatch(r"(\d+(?:\.\d*)?)([kmgt]?)b?", text.lower())
    if read is None:
        raise ValueError
    size = float(read[1]) * SIZES[read[2]]
    return int(_checked(size, fits=1 <= size < 2**63))


def _named_file(text: str) -> tuple[str, str]:
    name, _, file = text.partition("=")
    return _checked((name.strip(), file), fits=bool(name.strip() and file))


def _columns(text: str) -> str:
    parts = [part.partition("=") for part in text.split(",")]
    return _checked(text, fits=all(role.strip() and name.strip() for role, _, name in parts))


def _list(text: str) -> list[float] | dict[float, float]:
    if "=" in text:
        return {float(grade): float(worth) for grade, worth in (part.split("=") for part in text.split(","))}
    return [float(part) for part in text.split(",")]


def _gains(text: str) -> GainsText:
    return text if text in {"exp", "linear"} else _list(text)


def _grades(text: str) -> list[float]:
    return [math.nan if part.strip() == UNJUDGED else float(part) for part in text.split(",")]


def _ranks(text: str) -> list[int]:
    ranks = [int(part) for part in text.split(",")]
    return _checked(ranks, fits=min(ranks) >= 1)


def _floats(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(",") if part.strip())


def _ints(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split(",") if part.strip())


def _range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    ends = int(first), int(last or first)
    return _checked(ends, fits=1 <= ends[0] <= ends[1])


A_LIST = "a list such as 0,1,10 or a map such as 1=3,2=9"
NUMBER = ParsedText("NUMBER", _number, "a number")
SHARE = ParsedText("SHARE", _share, "a number between 0 and 1")
SHARES = ParsedText("LIST", _shares, "a number between 0 and 1, or several such as 0.05,0.01")
DIFFERENCE = ParsedText(
    "DIFFERENCE", _difference, "a number above 0 such as 0.01, or a percentage of a mean such as 2%"
)
DRAWS = ParsedText("DRAWS", _draws, "a number from 1, or all")
SIZE = ParsedText("SIZE", _size, "a size such as 500M or 20G")
GRADE_MAP = ParsedText("LIST", _list, A_LIST)
GAINS = ParsedText("LIST", _gains, f"{A_LIST}, or exp, or linear")
GRADES = ParsedText("GRADES", _grades, "grades such as 1,0,1,1")
RANKS = ParsedText("RANKS", _ranks, "ranks such as 1,5,10")
FLOATS = ParsedText("LIST", _floats, "numbers such as 0.5,0.95")
INTS = ParsedText("LIST", _ints, "whole numbers such as 10,100")
RANGE = ParsedText("RANGE", _range, "numbers from 1 such as 1-3, or one such as 3")
COLUMNS = ParsedText(
    "LIST", _columns, "columns such as topic=qid,document=pid,score=sim, or by number, topic=1,score=3"
)
NAMED_FILE = ParsedText("NAME=RUN", _named_file, "a name and the file of its run, such as bm25=run.txt")
