"""The page about Daft, run in its engine."""

from pathlib import Path

import pytest

from tests.evaluation.engine.pages import run_page


@pytest.mark.slow
def test_the_program_of_the_page_prints_what_the_page_says(tmp_path: Path) -> None:
    run_page("daft", tmp_path)
