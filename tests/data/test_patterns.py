"""Regular expressions that are compiled when they are first used."""

import copy
import re

import pytest

from rankscale.data.patterns import pattern


def test_a_pattern_is_used_as_one_that_is_compiled():
    ours, theirs = pattern(r"(a+)(b)?", re.IGNORECASE), re.compile(r"(a+)(b)?", re.IGNORECASE)
    for text in ("xAAby", "ab", "", "b"):
        assert [match.groups() for match in ours.finditer(text)] == [match.groups() for match in theirs.finditer(text)]
        assert ours.sub("-", text) == theirs.sub("-", text)
        assert (ours.match(text) is None) == (theirs.match(text) is None)
    assert (ours.pattern, ours.groups) == (theirs.pattern, theirs.groups)


def test_an_error_shows_when_it_is_used():
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.search("x")


def test_a_pattern_can_be_copied():
    assert copy.deepcopy(pattern("a")).fullmatch("a")
