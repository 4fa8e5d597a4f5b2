"""Fields of frozen dataclasses that are computed when they are first read."""

from collections.abc import Callable
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

Value = TypeVar("Value")
WAITING = "_waiting"  # the attribute that holds what is not computed yet, by field


class Lazy(Generic[Value]):
    """A value that is computed by `make` when it is first wanted."""

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make: Callable[[], Value] | None = make

    def get(self) -> Value:
        """The value, computed once."""
        make = self._make
        if make is not None:
            self._value = make()
            self._make = None  # what it was computed from need not be kept
        return self._value


def lazy(make: Callable[[], Value]) -> Value:
    """The value of a field that `make` computes when the field is first read, for a class with `LazyFields`."""
    return cast("Value", Lazy(make))


class LazyFields:
    """A frozen dataclass whose fields without a default may be given as `lazy(...)`."""

    def __post_init__(self) -> None:
        waiting = {name: value for name, value in self.__dict__.items() if type(value) is Lazy}
        if waiting:
            for name in waiting:
                del self.__dict__[name]
            self.__dict__[WAITING] = waiting

    if not TYPE_CHECKING:  # a misspelt attribute stays an error for type checkers

        def __getattr__(self, name: str) -> object:
            waiting = self.__dict__.get(WAITING, {})
            if name not in waiting:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.__dict__[name] = value = waiting[name].get()
            return value

    def derive(self, name: str, change: Callable[[Value], Value]) -> Value:
        """A field of another instance: this one's, changed when it is first read. It does not keep this one alive."""
        waiting = self.__dict__.get(WAITING, {}).get(name)
        if name in self.__dict__ or waiting is None:
            value: Value = getattr(self, name)
            return lazy(lambda: change(value))
        return lazy(lambda: change(waiting.get()))

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
