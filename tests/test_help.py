"""What help() shows of public functions: each keyword by name, and each in words."""

import pydoc
import re
from inspect import isfunction, signature

import pytest

import rankscale as rs
from rankscale.cli.declarations import read_docstring

FUNCTIONS = [name for name in rs.__all__ if isfunction(getattr(rs, name))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_keyword_is_explained(name: str) -> None:
    documented = read_docstring(getattr(rs, name)).parameters
    handed_on = " ".join(documented[one].meaning for one in ("options", "settings") if one in documented)
    explained = {*documented, *re.findall(r"\w+", handed_on)}
    assert set(signature(getattr(rs, name)).parameters) <= explained


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_first_line_has_no_types_of_the_machine(name: str) -> None:
    shown = pydoc.plain(pydoc.render_doc(getattr(rs, name))).splitlines()[2]
    assert shown.startswith(f"{name}(")
    for inner in ("Annotated[", "Unpack[", "<class", "typing.", "TypedDict"):
        assert inner not in shown.partition(" -> ")[0]


def test_keywords_that_are_handed_on_are_spelt_out() -> None:
    assert {"order", "threads", "max_size"} <= set(signature(rs.read_runs).parameters)
    assert "options" not in signature(rs.read_runs).parameters
