"""How runs are read: the options that all readers share."""

from dataclasses import dataclass
from numbers import Integral
from typing import TypedDict

from rankscale.data.declared import Positive
from rankscale.errors import ParameterError


class SourceOptions(TypedDict, total=False):
    """Keywords of every function that reads runs."""

    order: str | None  # 'score', 'score64', 'rank' or 'file'; None is 'score', or as a run was read before
    threads: Positive | None  # None: as many as there are cores
    max_size: Positive | None  # bytes that a file may unpack to


class ReadOptions(SourceOptions, total=False):
    """Keywords of `read_run` and `read_runs`."""

    depth: Positive | None
    keep_documents: bool
    keep_scores: bool


@dataclass(frozen=True)
class Reading:
    """How runs are read, checked."""

    order: str | None = None
    threads: int | None = None
    max_size: int | None = None
    depth: int | None = None  # where rankings are cut
    keep_documents: bool = False  # names of documents
    keep_scores: bool = False

    def __post_init__(self) -> None:
        for name in ("threads", "max_size", "depth"):
            object.__setattr__(self, name, whole_number(name, getattr(self, name)))
        if self.keep_scores and self.order in {"rank", "file"}:
            raise ParameterError(f"order={self.order!r} does not read scores, which are needed; use order='score'")

    @property
    def sorted_by(self) -> str:
        """What orders the documents of a run that is read now."""
        return self.order or "score"


def whole_number(name: str, value: int | None) -> int | None:
    """A whole number from 1, or None; raise ParameterError for anything else.

    >>> whole_number("depth", 2.5)
    Traceback (most recent call last):
    rankscale.errors.ParameterError: depth must be a whole number from 1, got 2.5
    """
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
        raise ParameterError(f"{name} must be a whole number from 1, got {value!r}")
    return int(value)
