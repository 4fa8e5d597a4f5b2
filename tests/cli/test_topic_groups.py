"""`rankscale topic-groups`."""

from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.sample import QRELS, RUNS

FILES = [str(QRELS), *(str(path) for path in RUNS[:3])]


@pytest.fixture
def groups(tmp_path: Path) -> str:
    path = tmp_path / "groups.txt"
    path.write_text("".join(f"{topic} {'even' if topic % 2 == 0 else 'odd'}\n" for topic in range(101, 151)))
    return str(path)


def test_the_command_writes_what_python_gives(groups: str, rankscale: Any) -> None:
    outcome = rankscale("topic-groups", *FILES, "--groups", groups, "-m", "AP", "--format", "json")
    made = rs.topic_groups(rs.evaluate(FILES[0], FILES[1:], "AP"), groups)
    assert (outcome.code, outcome.out) == (0, made.to_json())


def test_values_serve_as_well(groups: str, rankscale: Any, tmp_path: Path) -> None:
    values = str(tmp_path / "values.tsv")
    rs.evaluate(FILES[0], FILES[1:], "AP").write(values)
    options = ["--groups", groups, "-m", "AP", "--family", "group"]
    assert (
        rankscale("topic-groups", "--values", values, *options).out == rankscale("topic-groups", *FILES, *options).out
    )


def test_what_is_missing_is_named(groups: str, rankscale: Any) -> None:
    assert "Missing option '--groups'" in rankscale("topic-groups", *FILES).refused
    assert "give QRELS RUN..., or --values VALUES..." in rankscale("topic-groups", "--groups", groups).refused
