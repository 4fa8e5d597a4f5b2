"""What users see is what the record says; whoever changes it on purpose says so and writes the record anew."""

from difflib import unified_diff

import pytest

from tests.golden.cases import RECORD, Case, all_cases, commands, snippets

CASES = all_cases()
HINT = "if the change is meant, name it in CHANGELOG.md and run `make golden`"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_what_users_see_is_what_is_recorded(case: Case) -> None:
    assert case.path.exists(), f"{case} has no record: run `make golden`"
    recorded, found = case.path.read_text(encoding="utf-8"), case.record()
    if not case.agrees(recorded, found):
        lines = unified_diff(
            recorded.splitlines(), found.splitlines(), f"recorded {case}", f"found {case}", lineterm="", n=2
        )
        pytest.fail("\n".join([*lines, "", HINT]), pytrace=False)


def test_each_record_has_a_case() -> None:
    assert sorted(RECORD.rglob("*.*")) == sorted(case.path for case in CASES)


@pytest.mark.parametrize("cases", [commands(), snippets()], ids=["commands", "python"])
def test_each_name_is_given_once(cases: list[Case]) -> None:
    assert len({case.name for case in cases}) == len(cases)


def test_no_snippet_ends_with_an_error() -> None:
    ended = [case.name for case in snippets() if "\nraised " in case.path.read_text(encoding="utf-8")]
    assert not ended
