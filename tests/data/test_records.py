"""Frozen dataclasses of rankscale.data.records beside those of the standard library."""

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, InitVar, field, fields, is_dataclass, replace
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankscale.data import records

Decorator = Callable[..., Any]


def made_by(dataclass: Decorator) -> Any:
    """A class with every kind of field that the package has, and one that inherits from it."""

    @dataclass(frozen=True)
    class Base:
        """A base."""

        kind: ClassVar[str] = "base"
        first: int
        second: float = 0.5
        depth: int | None = field(default=None, kw_only=True)

    @dataclass(frozen=True)
    class Made(Base):
        """A class."""

        names: list[str] = field(default_factory=list)
        hidden: str = field(default="", repr=False)
        apart: str = field(default="", compare=False, metadata={"why": "a name"})
        counted: list[int] = field(default_factory=list, init=False)

        def __post_init__(self) -> None:
            if self.first < 0:
                raise ValueError("first is negative")

    return Made


OURS: Any = made_by(records.dataclass)
STANDARD: Any = made_by(dataclasses.dataclass)
ASPECTS = ("name", "type", "default", "kw_only", "compare", "repr", "init", "metadata")
VALUES = st.fixed_dictionaries(
    {"first": st.integers(-2, 3)},
    optional={
        "second": st.sampled_from([0.5, 1.0, 2.0]),
        "depth": st.sampled_from([None, 10]),
        "names": st.lists(st.sampled_from("ab"), max_size=2),
        "hidden": st.sampled_from(["", "x"]),
        "apart": st.sampled_from(["", "x"]),
    },
)


def outcome(function: Callable[[], object]) -> object:
    """What a call returns, or the kind of its error and its words without the name of the class."""
    try:
        return function()
    except (TypeError, ValueError) as error:
        return type(error), str(error).rpartition(".")[2]


@given(VALUES)
def test_instances_are_made_and_shown_alike(values: dict[str, Any]) -> None:
    assert outcome(lambda: repr(OURS(**values))) == outcome(lambda: repr(STANDARD(**values)))


@given(VALUES, VALUES)
def test_instances_are_compared_alike(a: dict[str, Any], b: dict[str, Any]) -> None:
    a["first"], b["first"] = abs(a["first"]), abs(b["first"])
    assert (OURS(**a) == OURS(**b)) == (STANDARD(**a) == STANDARD(**b))
    assert OURS(**a) != STANDARD(**a)
    assert (OURS(**a) == replace(OURS(**a), **b)) == (STANDARD(**a) == replace(STANDARD(**a), **b))


@given(st.integers(), st.floats(), st.none() | st.integers())
def test_equal_instances_have_the_same_hash(first: int, second: float, depth: int | None) -> None:
    base, standard = OURS.__mro__[1], STANDARD.__mro__[1]
    one, other = base(first, second, depth=depth), base(first, second, depth=depth)
    assert one == other
    assert hash(one) == hash(other) == hash(standard(first, second, depth=depth))


def test_nan_is_equal_to_itself_in_all_versions_of_python() -> None:
    nan = float("nan")
    assert OURS(1, nan) == OURS(1, nan)  # as tuples are; the standard library does so up to Python 3.12


def test_lists_have_no_hash_in_either() -> None:
    for cls in (OURS, STANDARD):
        with pytest.raises(TypeError, match="unhashable type: 'list'"):
            hash(cls(1))


@pytest.mark.parametrize("call", [{}, {"first": 1, "fist": 2}], ids=["missing", "misspelt"])
def test_wrong_calls_are_refused_alike(call: dict[str, int]) -> None:
    refused = outcome(lambda: OURS(**call))
    assert refused == outcome(lambda: STANDARD(**call))
    assert isinstance(refused, tuple)
    assert refused[0] is TypeError


def test_signature_fields_and_patterns_are_the_same() -> None:
    assert str(inspect.signature(OURS)) == str(inspect.signature(STANDARD))
    assert bool(is_dataclass(OURS))
    described = [
        [
            (one.name, one.type, one.default, one.kw_only, one.compare, one.repr, one.init, one.metadata)
            for one in fields(cls)
        ]
        for cls in (OURS, STANDARD)
    ]
    assert described[0] == described[1]
    assert OURS.__match_args__ == STANDARD.__match_args__
    assert (OURS.second, OURS.kind, hasattr(OURS, "names")) == (0.5, "base", False)


def test_nothing_can_be_assigned_or_deleted() -> None:
    for cls in (OURS, STANDARD):
        one = cls(1)
        for name in ("first", "unknown"):
            with pytest.raises(FrozenInstanceError, match=f"cannot assign to field '{name}'"):
                setattr(one, name, 2)
            with pytest.raises(FrozenInstanceError, match=f"cannot delete field '{name}'"):
                delattr(one, name)


def test_plain_subclasses_have_attributes_of_their_own() -> None:
    for cls in (OURS, STANDARD):
        one = type("Plain", (cls,), {})(1)
        one.own = 2
        del one.own
        with pytest.raises(FrozenInstanceError):
            one.first = 2


@pytest.mark.parametrize(
    ("of_base", "of_made"),
    [(records.dataclass, dataclasses.dataclass), (dataclasses.dataclass, records.dataclass)],
    ids=["standard from ours", "ours from standard"],
)
def test_either_inherits_from_the_other(of_base: Decorator, of_made: Decorator) -> None:
    @of_base(frozen=True)
    class Base:
        """A base."""

        first: int = 1

    @of_made(frozen=True)
    class Made(Base):
        """A class."""

        second: int = 2

    check_inherited(Base, Made)


def check_inherited(base: type, made: Any) -> None:
    """A class with a field `first` of its base and a field `second` of its own."""
    assert repr(replace(made(3), second=4)).endswith("Made(first=3, second=4)")
    assert made(3) == made(3, 2) != made(3, 3)
    assert hash(made(3)) == hash(made(3, 2)) == hash((3, 2))
    with pytest.raises(FrozenInstanceError):
        made().first = 2
    with pytest.raises(TypeError, match="cannot inherit non-frozen dataclass from a frozen one"):
        dataclasses.dataclass(type("Loose", (base,), {}))


def test_own_methods_are_kept() -> None:
    @records.dataclass(frozen=True)
    class Made:
        """A class."""

        first: int

        def __repr__(self) -> str:
            return "mine"

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Made)

        def __hash__(self) -> int:
            return 7

    assert repr(Made(1)) == "mine"
    assert Made(1) == Made(2)
    assert hash(Made(1)) == 7


def test_without_eq_instances_are_themselves() -> None:
    @records.dataclass(frozen=True, eq=False, repr=False, kw_only=True)
    class Made:
        """A class."""

        first: int

    assert Made(first=1) != Made(first=1)
    assert "object at" in repr(Made(first=1))
    with pytest.raises(TypeError):
        Made(1)  # type: ignore[call-arg]


@records.dataclass(frozen=True)
class Kept:
    """A class of this module, which pickle can name."""

    first: int


def test_copies_are_equal() -> None:
    assert pickle.loads(pickle.dumps(Kept(1))) == copy.copy(Kept(1)) == copy.deepcopy(Kept(1)) == Kept(1)


@pytest.mark.parametrize(
    ("annotations", "defaults", "message"),
    [
        ({"first": int, "second": int}, {"first": 1}, "field second without a default follows first"),
        ({"first": list}, {"first": []}, "mutable default <class 'list'> for field first"),
        ({"first": InitVar[int]}, {}, "InitVar"),
    ],
)
def test_what_is_refused(annotations: dict[str, Any], defaults: dict[str, Any], message: str) -> None:
    made = type("Made", (), {"__annotations__": annotations, **defaults})
    with pytest.raises((TypeError, ValueError), match=message):
        records.dataclass(frozen=True)(made)


def test_others_are_left_to_the_standard_library() -> None:
    @records.dataclass
    class Made:
        """A class that changes."""

        first: int

    one = Made(1)
    one.first = 2
    assert one == Made(2)


def test_the_way_an_instance_is_made_is_compiled_when_it_is_first_read() -> None:
    def made() -> type:
        return records.dataclass(frozen=True)(type("Made", (), {"__annotations__": {"first": int}, "first": 1}))

    first, second, third = made(), made(), made()
    assert str(inspect.signature(first)) == "(first: int = 1) -> None"
    assert second(2).first == 2
    assert type("Under", (third,), {})(first=3).first == 3
    assert all(inspect.isfunction(vars(cls)["__init__"]) for cls in (first, second, third))
    assert not inspect.isfunction(vars(made())["__init__"])


def test_a_class_pickled_by_its_content_can_be_made_there() -> None:
    """As a class of a script is sent to a worker, before any instance of it was made."""
    made: Any = records.dataclass(frozen=True)(type("Made", (), {"__annotations__": {"first": int}, "first": 1}))
    made.__module__ = "__main__"
    there = pickle.loads(pytest.importorskip("cloudpickle").dumps(made))
    assert there(2).first == 2
    assert there().first == 1
