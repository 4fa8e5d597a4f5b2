"""`rankscale serve`: the workbench, for this machine's browser."""

import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Unpack

import click

from rankscale.cli import options
from rankscale.cli.command import declared
from rankscale.cli.options import GroupsIn, groups_in

if TYPE_CHECKING:
    from rankscale.workbench.serve import BenchOptions

MEASURES = ("nDCG@10", "AP", "P@10", "RBP(p=0.8)", "RR@10", "Twist")  # as in rankscale.workbench.serve
OWN = (
    *("-m", "--measure", "--docs", "--queries", "--groups", "--group-column", "--title"),
    *("--port", "--host", "--token-file"),
)
LONGEST_TOKEN = 1000  # bytes
MANY = 4  # runs that are named one by one in the commands shown


@declared(
    "serve",
    options.files,
    options.measures(MEASURES),
    options.option(
        "--docs",
        "Texts of documents: JSON Lines (_id, title, text), lines of name<TAB>text, or irds:NAME.",
        shown="none",
        metavar="FILE",
    ),
    options.option("--queries", "Texts of topics, in the same forms.", shown="none", metavar="FILE"),
    groups_in,
    options.option("--title", "What the collection is called.", default="", shown="the name of the qrels"),
    options.option("--port", "Port to listen at.", click.IntRange(0, 65535), 0, "a free one", metavar="N"),
    options.option(
        "--host",
        "Address to listen at. One that other machines can reach, such as 0.0.0.0, needs --token-file.",
        default="127.0.0.1",
        metavar="ADDRESS",
    ),
    options.option(
        "--token-file",
        "File with the secret in the link (?token=TEXT), at least 16 letters, digits, - and _; visitors without it are "
        "refused. `-` is standard input.",
        click.File("rb"),
        shown="a random secret",
        metavar="FILE",
    ),
    options.flag("--open open_browser", "Open the page in the browser."),
    options.grades,
    options.reading,
)
def command(
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    groups_in: GroupsIn,
    port: int,
    host: str,
    token_file: BinaryIO | None,
    open_browser: bool,  # noqa: FBT001  # click gives it by name
    **requested: "Unpack[BenchOptions]",
) -> None:
    """Open a workbench in the browser: change measures and parameters, and compare runs, topics and documents.

    Views show which run leads and how certain that is, on which topics two runs differ, which topics decide the order
    of runs, both rankings of a topic document by document, gain against effort, whether conclusions depend on the
    measure, and what more judging would change. All settings are in the address of the page, and every view gives the
    command that prints the same numbers.

    By default only this machine can connect; the printed link has a token, without which other users are refused.

    Command line
    ------------
      rankscale serve qrels.txt runs/*.gz
      rankscale serve qrels.txt runs/*.gz -m AP -m nDCG@10 --open
      rankscale serve qrels.txt run.txt other.txt --docs corpus.jsonl --queries queries.tsv --port 8000
    """
    from rankscale.workbench.serve import serve

    groups_in.check({})
    requested["groups"], requested["group_column"] = groups_in.groups, groups_in.group_column
    requested["words"] = [*files_in_words(qrels, runs), *reading_in_words(sys.argv[2:])]
    token = None if token_file is None else token_file.read(LONGEST_TOKEN).decode("ascii", "replace").strip()
    listed, wanted = list(runs), list(measures or MEASURES)
    serve(qrels, listed, wanted, host=host, port=port, token=token, open_browser=open_browser, **requested)


def files_in_words(qrels: object, runs: Sequence[object]) -> list[str]:
    """QRELS RUN... as a shell reads them; many files of one folder as a pattern where that means the same."""
    paths = [str(getattr(one, "source", one[1] if isinstance(one, tuple) else one)) for one in runs]
    named = [shlex.quote(str(getattr(qrels, "source", qrels)))]
    folders = {os.path.dirname(path) for path in paths}
    if len(paths) > MANY and len(folders) == 1:
        folder = folders.pop()
        if sorted(os.listdir(folder or ".")) == sorted(map(os.path.basename, paths)):
            return [*named, f"{shlex.quote(folder) + '/' if folder else ''}*"]
    return [*named, *map(shlex.quote, paths)]


def reading_in_words(arguments: Sequence[str]) -> Iterator[str]:
    """The options on reading and judging, as they were given; those of the workbench alone are left out."""
    rest = iter(arguments)
    for word in rest:
        name = word.partition("=")[0]
        if not word.startswith("-") or word in {"-", "--open"}:
            continue
        own = name in OWN or (word.startswith("-m") and not word.startswith("--"))
        given = (
            [word] if "=" in word or (own and len(word) > 2 and not word.startswith("--")) else [word, next(rest, "")]
        )
        if not own:
            yield from map(shlex.quote, given)
