"""click and numpy, imported without modules that they name at their top and that a command seldom uses.

numpy imports `pickle` for a method that writes arrays and `numpy.linalg` for matrices, adds documentation and
signatures to its functions, and builds the types of its annotations; click and dataclasses import `inspect` for texts
of help. Together that is a fifth of the time in which a short command measures a run. While one of them is imported,
stand-ins take the place of these modules in `sys.modules`; a stand-in imports its module when the library first uses
it. Only the program does this: `import rankscale` imports every module as it is.
"""

import sys
from _thread import RLock
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType

LOADING = RLock()


class Later(ModuleType):
    """A stand-in for a module, with the attributes that are given; reading any other attribute imports the module."""

    def __init__(self, name: str, given: Mapping[str, object]) -> None:
        super().__init__(name)
        vars(self).update(given)

    def __getattr__(self, name: str) -> object:
        if name in {"__path__", "__file__"}:  # read by Python itself while it imports others
            raise AttributeError(name)
        with LOADING:
            if sys.modules.get(self.__name__) is self:
                del sys.modules[self.__name__]
            module = import_module(self.__name__)
            vars(self).update(vars(module))
        return getattr(module, name)


def _cleandoc(text: str) -> str:
    """As `inspect.cleandoc`, which numpy calls for its functions, and click for each option."""
    first, *rest = text.expandtabs().split("\n")
    margin = min((len(line) - len(line.lstrip()) for line in rest if line.strip()), default=0)
    return "\n".join([first.lstrip(), *(line[margin:] for line in rest)]).strip("\n")


def _annotations(cls: type) -> dict[str, object]:
    """As `inspect.get_annotations`, which dataclasses call from Python 3.12 on."""
    return dict(cls.__annotations__)


def _no_signature(function: object) -> None:
    """In place of `inspect.signature` of numpy's functions: None says that they have none of their own."""


def _function(module: str, name: str) -> Callable[..., object]:
    """In place of a function: imports its module when it is called."""

    def call(*arguments: object, **options: object) -> object:
        return getattr(import_module(module), name)(*arguments, **options)

    return call


class _NDArray:
    """`NDArray` of numpy's annotations."""

    def __class_getitem__(cls, item: object) -> object:
        import numpy as np

        return np.ndarray[tuple[int, ...], np.dtype[item]]  # type: ignore[valid-type]


Modules = Mapping[str, Mapping[str, object]]  # by name, what is read of each while others are imported
FOR_DATACLASSES: Modules = {"inspect": {"get_annotations": _annotations}}
FOR_CLICK: Modules = {
    "inspect": {"cleandoc": _cleandoc},
    "platform": {},
    "uuid": {"UUID": object},  # a type of options that no command has
}
LINALG = "numpy.linalg"
FOR_NUMPY: Modules = {
    "ctypes": {},
    "inspect": {"cleandoc": _cleandoc, "signature": _no_signature},
    "numpy._core._add_newdocs": {},
    "numpy._core._add_newdocs_scalars": {},
    "numpy._typing": {"NDArray": _NDArray},
    LINALG: {name: _function(LINALG, name) for name in ("eigvals", "inv", "lstsq", "matrix_power")},
    "pickle": {},
    "platform": {},
    "textwrap": {},
}


def import_dataclasses() -> None:
    """Import dataclasses; other modules then import those of FOR_DATACLASSES as they are."""
    with _without(FOR_DATACLASSES):
        import dataclasses  # noqa: F401


def import_click() -> None:
    """Import click; other modules then import those of FOR_CLICK as they are."""
    with _without(FOR_CLICK):
        import click  # noqa: F401


def import_numpy() -> None:
    """Import numpy; other modules then import those of FOR_NUMPY as they are."""
    if "numpy" not in sys.modules:
        with _without(FOR_NUMPY):
            import numpy as np  # noqa: F401


@contextmanager
def _without(modules: Modules) -> Iterator[None]:
    """Put stand-ins for these modules into `sys.modules` for a while, unless the modules are there already."""
    standing = {name: Later(name, given) for name, given in modules.items() if name not in sys.modules}
    sys.modules.update(standing)
    try:
        yield
    finally:
        for name, module in standing.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]
