"""The page about Ray Data, run in its engine."""

from pathlib import Path

import pytest

from tests.evaluation.engine.pages import run_page


@pytest.mark.slow
def test_the_program_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    run_page("ray", tmp_path)
