"""Draw the figures of docs/gallery.md when the site is built: mkdocs loads this file as a hook.

The page itself holds the commands, so what is seen is what they give. Where a command prints something else than the
page says, the site is not built; so the tests of pages leave these commands to the test that builds it.
"""

import os
import re
import shlex
import tempfile
from collections.abc import Iterator
from doctest import ELLIPSIS, DocTestParser, OutputChecker
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from click.testing import CliRunner

from rankscale.cli.program import cli
from rankscale.sample import QRELS

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

PAGE = Path(__file__).resolve().parent.parent / "docs" / "gallery.md"
COMMAND = re.compile(r"^\$ rankscale (figure (?:.*\\\n> )?.*-o \S+\.svg)\n((?:(?!\$ |```).*\n)*)", re.MULTILINE)
SLOW = re.compile(r"^[\w ]+ will take about \d+ (?:s|minutes)\n", re.MULTILINE)  # said on a machine that is busy
SESSION = re.compile(r"^```pycon\n(.*?)^```$", re.MULTILINE | re.DOTALL)
WRITES = "write_qrels("  # of sessions that make a file which commands below them read


def drawings(page: str) -> Iterator[tuple[str, str]]:
    """The name and the text of each SVG file that the page's commands write."""
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(QRELS.parent, os.path.join(folder, "sample"))
        os.chdir(folder)
        try:
            for session in SESSION.findall(page):
                if WRITES in session:
                    names: dict[str, object] = {}
                    for example in DocTestParser().get_examples(session):
                        exec(example.source, names)  # noqa: S102  # our own page
            for found in COMMAND.finditer(page):
                arguments = shlex.split(found[1].replace("\\\n> ", " "))
                files = [path for part in arguments for path in (sorted(glob(part)) or [part])]
                done = CliRunner().invoke(cli, files, catch_exceptions=False)
                printed = SLOW.sub("", done.output)
                if done.exit_code or not OutputChecker().check_output(found[2], printed, ELLIPSIS):
                    raise RuntimeError(f"the page says:\n{found[0]}and it is:\n{done.output}")
                yield arguments[-1], Path(arguments[-1]).read_text(encoding="utf-8")
        finally:
            os.chdir(before)


def on_files(files: "Files", config: "MkDocsConfig") -> "Files":
    """Add the drawings to the site."""
    from mkdocs.structure.files import File  # absent where no site is built

    for name, drawn in drawings(PAGE.read_text(encoding="utf-8")):
        files.append(File.generated(config, f"gallery/{name}", content=drawn))
    return files
