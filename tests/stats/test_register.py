"""A test is one class: what is shown of it everywhere comes from that."""

import subprocess
import sys
from pathlib import Path

import pytest

from rankscale.errors import ParameterError, UnknownNameError
from rankscale.stats.tests.base.test import SCALE_TYPES
from rankscale.stats.tests.register import PAPER, find_test, known_tests, level_test, make_test

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "comparing.md"
every_test = pytest.mark.parametrize("kind", known_tests().values(), ids=known_tests())


@every_test
def test_a_test_declares_all_that_is_shown_of_it(kind):
    assert kind.__module__.startswith("rankscale.stats.tests.")
    assert all((kind.label, kind.help, kind.paper, kind.compares))
    assert kind.asks in SCALE_TYPES


@every_test
def test_a_test_has_a_row_in_the_guide(kind):
    many = "its own correction" if kind.together else "`--correction`"
    assert f"| `{kind.name}` | {kind.help} | {kind.asks} | {many} |" in GUIDE.read_text().splitlines()


def test_names_and_aliases_mean_one_test_each():
    spellings = [name for kind in known_tests().values() for name in (kind.name, *kind.aliases)]
    assert len(set(spellings)) == len(spellings)
    assert all(find_test(name.upper().replace(" ", "-")) is find_test(name) for name in spellings)
    assert set(PAPER) <= known_tests().keys()


def test_names_and_settings_that_are_unknown_are_refused():
    with pytest.raises(UnknownNameError, match="did you mean student"):
        find_test("studnet")
    with pytest.raises(ParameterError, match="the sign test has no setting seed; it takes none"):
        make_test("sign", seed=1)
    with pytest.raises(UnknownNameError, match="discriminative power is by bootstrap or randomised tukey"):
        level_test("student", 10, 0)


def test_scipy_is_not_imported_before_a_test_runs() -> None:
    code = (
        "from rankscale.stats.tests.register import known_tests; known_tests(); "
        "import rankscale.stats.corrections, sys; sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
