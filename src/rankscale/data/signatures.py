"""Signatures as help() shows them: names and defaults, as the docstring gives the types in words."""

from collections.abc import Callable
from inspect import Parameter, Signature, signature
from typing import get_args


class _Documented:
    """A default that the docstring states."""

    def __repr__(self) -> str:
        return "..."


def plain(function: Callable[..., object]) -> Signature:
    """The signature without types, and with each keyword of `**options: Unpack[...]` by name.

    >>> import rankscale as rs
    >>> plain(rs.top)
    <Signature (evaluation, share, by='AP') -> rankscale.evaluation.result.Evaluation>
    """
    written = signature(function)
    shown: list[Parameter] = []
    for one in written.parameters.values():
        keywords = get_args(one.annotation) if one.kind is Parameter.VAR_KEYWORD else ()
        names = [name for options in keywords for name in options.__annotations__]
        spelt_out = [Parameter(name, Parameter.KEYWORD_ONLY, default=_Documented()) for name in names]
        shown += spelt_out or [one.replace(annotation=Parameter.empty)]
    return written.replace(parameters=shown)
