"""`dataclass(frozen=True)` as the standard library has it, made in a quarter of its time.

The standard decorator writes and compiles functions for each frozen class: `__init__`, `__repr__`, `__eq__`,
`__hash__`, `__setattr__` and `__delattr__`. A command imports about sixty such classes, which took a fifth of its time
before it did anything. Here only `__init__` is compiled for each class, when it is first wanted, and the others are
shared by all.

Classes made here are dataclasses in every other way: `fields`, `replace` and `is_dataclass` take them, and classes
made by either decorator can inherit from those made by the other. Type checkers see the standard decorator.
"""

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, InitVar, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import dataclass as dataclass  # noqa: PLC0414  # for others to import
    from typing import Protocol

    class Compared(Protocol):
        """A frozen dataclass that is compared by its values."""

        _compared: Callable[[object], tuple[object, ...]]
else:

    def dataclass(cls=None, /, *, frozen=False, eq=True, repr=True, kw_only=False):  # noqa: A002, ANN001, ANN201
        """Make a class a dataclass; used as the decorator of the standard library is."""

        def make(cls: type) -> type:
            if frozen:
                return _frozen(cls, eq=eq, with_repr=repr, kw_only=kw_only)
            return dataclasses.dataclass(cls, eq=eq, repr=repr, kw_only=kw_only)

        return make if cls is None else make(cls)


FIELDS, PARAMETERS = "__dataclass_fields__", "__dataclass_params__"  # where the standard library looks for them


class Factory:
    """The default, in signatures, of a field whose default is made anew for each instance."""

    def __repr__(self) -> str:
        return "<factory>"


FACTORY = Factory()


def _frozen(cls: type, *, eq: bool, with_repr: bool, kw_only: bool) -> type:
    """Make a class a frozen dataclass, in place."""
    bare = _fields_alone(cls, kw_only=kw_only)
    parameters = getattr(bare, PARAMETERS)
    parameters.init, parameters.eq, parameters.repr, parameters.frozen = True, eq, with_repr, True
    setattr(cls, PARAMETERS, parameters)
    every: dict[str, Field[Any]] = {}
    for base in (*reversed(cls.__mro__[1:]), bare):
        every |= base.__dict__.get(FIELDS, {})
    setattr(cls, FIELDS, every)
    known = fields(cls)  # without class variables

    made: dict[str, object] = {
        "__init__": _LaterInit(cls, known),
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_deletion,
        "__match_args__": tuple(one.name for one in known if one.init and not one.kw_only),
    }
    if with_repr:
        made["__repr__"] = _repr
    if eq:
        made |= {"__eq__": _equal, "__hash__": _hash, "_compared": _getter([one.name for one in known if one.compare])}
    own = {name for name in made if cls.__dict__.get(name) is not None}  # Python sets __hash__ to None beside an __eq__
    for name in made.keys() - own:
        setattr(cls, name, made[name])
    return cls


def _fields_alone(cls: type, *, kw_only: bool) -> type:
    """A dataclass with the fields that this class itself declares, and nothing else, so that nothing is compiled.

    Where the class has `field(...)` it gets the default instead, or nothing, as the standard decorator leaves it.
    """
    annotations = cls.__annotations__
    if any(isinstance(kind, InitVar) for kind in annotations.values()):
        raise TypeError(f"{cls.__qualname__}: InitVar is for dataclasses of the standard library")
    declared = {name: cls.__dict__[name] for name in annotations if name in cls.__dict__}
    body = {"__annotations__": annotations, "__module__": cls.__module__, "__doc__": "Fields.", **declared}
    bare: type = dataclasses.dataclass(type(cls.__name__, (), body), init=False, eq=False, repr=False, kw_only=kw_only)
    for name, default in declared.items():
        if isinstance(default, Field):
            if default.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
    return bare


class _LaterInit:
    """Stands for `__init__` until somebody reads it: then it is compiled and takes its place.

    Raises TypeError where a field without a default follows one with a default.
    """

    def __init__(self, cls: type, known: "Sequence[Field[Any]]") -> None:
        self.cls, self.known = cls, known
        with_default = ""
        for one in known:
            if one.init and not one.kw_only:
                has_default = one.default is not MISSING or one.default_factory is not MISSING
                if with_default and not has_default:
                    raise TypeError(f"{cls.__qualname__}: field {one.name} without a default follows {with_default}")
                with_default = with_default or (one.name if has_default else "")

    def __get__(self, instance: object, owner: type | None = None) -> "Callable[..., None]":
        init = _init(self.cls, self.known)
        if self.cls.__dict__.get("__init__") is self:
            self.cls.__init__ = init
        return init if instance is None else init.__get__(instance, owner)

    def __reduce__(self) -> "tuple[Callable[[Any], Any], tuple[object]]":
        """Where a class is pickled by its content, as cloudpickle does: the function itself."""
        return _same, (self.__get__(None, self.cls),)


def _same(value: object) -> object:
    return value


def _init(cls: type, known: "Sequence[Field[Any]]") -> "Callable[..., None]":
    """`__init__`, compiled: of each class the names, the defaults and the order of its parameters."""
    names: dict[str, object] = {"_put": object.__setattr__, "FACTORY": FACTORY}
    positional, by_name, body = [], [], []
    for one in known:
        name, has_factory = one.name, one.default_factory is not MISSING
        if has_factory:
            names[f"_make_{name}"] = one.default_factory
        if not one.init:
            body += [f" _put(self, {name!r}, _make_{name}())"] if has_factory else []
            continue
        parameter = name
        if has_factory:
            parameter += "=FACTORY"
        elif one.default is not MISSING:
            parameter += f"=_default_{name}"
            names[f"_default_{name}"] = one.default
        if one.kw_only:
            by_name.append(parameter)
        else:
            positional.append(parameter)
        value = f"_make_{name}() if {name} is FACTORY else {name}" if has_factory else name
        body.append(f" _put(self, {name!r}, {value})")
    if hasattr(cls, "__post_init__"):
        body.append(" self.__post_init__()")
    parameters = ", ".join(["self", *positional, *(["*", *by_name] if by_name else [])])
    made: dict[str, Any] = {}
    exec(f"def __init__({parameters}):\n" + "\n".join(body or [" pass"]), names, made)  # noqa: S102  # names of fields
    init: Callable[..., None] = made["__init__"]
    init.__qualname__, init.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    init.__annotations__ = {one.name: one.type for one in known if one.init} | {"return": None}
    return init


def _getter(names: list[str]) -> "Callable[[object], tuple[object, ...]]":
    """A function from an instance to the values of these fields."""
    if len(names) > 1:
        return attrgetter(*names)  # no method: it is called with the instance
    return staticmethod(lambda self: tuple(getattr(self, name) for name in names))


def _refuse_assignment(self: object, name: str, value: object) -> None:
    if FIELDS in type(self).__dict__ or name in getattr(self, FIELDS):
        raise FrozenInstanceError(f"cannot assign to field {name!r}")
    object.__setattr__(self, name, value)  # of a subclass that is no dataclass


def _refuse_deletion(self: object, name: str) -> None:
    if FIELDS in type(self).__dict__ or name in getattr(self, FIELDS):
        raise FrozenInstanceError(f"cannot delete field {name!r}")
    object.__delattr__(self, name)


def _repr(self: object) -> str:
    shown = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in fields(self) if one.repr)  # type: ignore[arg-type]
    return f"{type(self).__qualname__}({shown})"


def _equal(self: "Compared", other: "Compared") -> bool:
    if type(other) is not type(self):
        return NotImplemented  # type: ignore[no-any-return]
    return self._compared(self) == self._compared(other)


def _hash(self: "Compared") -> int:
    return hash(self._compared(self))
