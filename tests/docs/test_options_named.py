"""Options that pages name together with a command: the command has them."""

import re
from pathlib import Path

import click
import pytest

from rankscale.cli.program import cli

DOCS = Path(__file__).parents[2] / "docs"
NAMED = re.compile(r"((?:`--[\w-]+`(?:,\s+|\s+and\s+)?)+)\s+of\s+`rankscale ([\w-]+)`")  # `--a`, `--b` of `rankscale c`


def named() -> list[tuple[str, str, str]]:
    """Page, command and option."""
    return [
        (page.name, found[2], option)
        for page in sorted(DOCS.glob("guide/*.md"))
        for found in NAMED.finditer(page.read_text(encoding="utf-8"))
        for option in re.findall(r"--[\w-]+", found[1])
    ]


def test_some_are_named() -> None:
    assert ("interval-scales.md", "intervals", "--ranks") in named()
    assert ("interval-scales.md", "scale", "--mid") in named()


@pytest.mark.parametrize(("page", "command", "option"), named())
def test_the_command_has_the_option(page: str, command: str, option: str) -> None:
    with click.Context(cli) as context:
        made = cli.get_command(context, command)
    assert made is not None
    assert option in {text for one in made.params for text in (*one.opts, *one.secondary_opts)}, page
