"""Every page, as a reader would follow it: what a page shows is what happens.

A block fenced as `console` holds commands after `$ `, carried on after `> `, and what they print, standard error
included. A block fenced as `pycon` is a Python session. A block fenced as `python` is the file of a package, a measure
unless a block of `toml` with its entry points follows; from there on the page's commands know it. In what is printed,
`...` stands for anything. The blocks of a page share one folder, where `sample/` is the sample collection. Figures of
the gallery are drawn, and what their commands print is compared, when `test_site.py` builds the site. A block fenced as
`py` is a program for an engine, which `tests/evaluation/engine` runs.
"""

import doctest
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from rankscale import sample
from tests.docs.forked import forked_program
from tools.draw_gallery import SLOW

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
SESSIONS = [page for page in PAGES if page.parent.name != "api"]  # whose examples are doctests of the sources
FENCED = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN = {"console", "pycon", "python"}
SHOWN = {"sh", "text", "toml", "py"}  # not run here: what needs a network, a build, an engine or another program
ELSEWHERE = "elsewhere"  # where packages with measures of their own are
DRAWN = re.compile(r"\$ rankscale figure (?:.*\\\n> )?.*-o \S+\.svg\n(?:(?!\$ ).*\n)*")
MARK = "=== end of a command ==="

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())


class Block(NamedTuple):
    kind: str
    text: str
    line: int  # of the page, where the text begins


class Step(NamedTuple):
    command: str
    printed: str


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [Block(found[1], found[2], text[: found.start(2)].count("\n") + 1) for found in FENCED.finditer(text)]


def steps(text: str) -> list[Step]:
    """The commands of a session, each with what it prints."""
    found = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not found[0], "a session begins with a command"
    pieces = [re.fullmatch(r"(.*\n(?:> .*\n)*)((?:.*\n)*)", piece) for piece in found[1:]]
    return [Step(re.sub(r"^> ", "", piece[1], flags=re.MULTILINE), piece[2]) for piece in pieces if piece]


def left_to_the_site(page: Path, block: Block) -> bool:
    return page.name == "gallery.md" and DRAWN.fullmatch(block.text) is not None


@pytest.fixture(scope="module")
def programs() -> Iterator[Path]:
    """A folder with the program, which starts without delay."""
    with forked_program() as folder:
        yield folder


def environment(folder: Path, *programs: Path) -> dict[str, str]:
    def first(name: str, *places: str | Path) -> str:
        return os.pathsep.join([*map(str, places), *filter(None, [os.environ.get(name)])])

    fixed = {"COLUMNS": "80", "NO_COLOR": "1", "LC_ALL": "C.UTF-8", "TERM": "dumb", "HOME": str(folder)}
    places = {
        "PATH": first("PATH", *programs, sysconfig.get_path("scripts")),
        "PYTHONPATH": first("PYTHONPATH", folder / ELSEWHERE),
    }
    return fixed | places


def run_console(block: Block, folder: Path, *programs: Path) -> None:
    session = steps(block.text)
    # One shell for all commands, so that `echo $?` means what it says; a mark tells their output apart.
    script = "".join(f"{step.command}status=$?; printf '\\n{MARK}\\n'; (exit $status)\n" for step in session)
    done = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=environment(folder, *programs),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    outputs = done.stdout.split(f"\n{MARK}\n")
    assert len(outputs) == len(session) + 1, f"the session breaks off:\n{done.stdout}"
    for step, printed in zip(session, outputs, strict=False):
        compare(step, printed)


def compare(step: Step, printed: str) -> None:
    if not SLOW.search(step.printed):
        printed = SLOW.sub("", printed)
    if not doctest.OutputChecker().check_output(step.printed.expandtabs(), printed.expandtabs(), doctest.ELLIPSIS):
        pytest.fail(f"$ {step.command}the page says:\n{step.printed}\nand it is:\n{printed}", pytrace=False)


def run_python(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.text, names, "a session", None, block.line)
    said: list[str] = []
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False).run(
        test, out=said.append, clear_globs=False
    )
    names.update(test.globs)
    assert not found.failed, "".join(said)


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=[pytest.mark.slow] * (page.name == "gallery.md")) for page in SESSIONS],
    ids=lambda page: page.relative_to(ROOT).as_posix(),
)
def test_what_a_page_shows_is_what_happens(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    install: Callable[..., None],
    programs: Path,
) -> None:
    shutil.copytree(sample.QRELS.parent, tmp_path / "sample", ignore=shutil.ignore_patterns("__*"))
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown = blocks(page)
    for block, following in zip_longest(shown, shown[1:]):
        print(f"{page.relative_to(ROOT)}, line {block.line}")  # pytest shows the last of them when a block fails
        if left_to_the_site(page, block):
            continue
        if block.kind == "console":
            run_console(block, tmp_path, programs)
        elif block.kind == "pycon":
            run_python(block, names)
        elif block.kind == "python":
            declared = following is not None and following.kind == "toml" and "entry-points" in following.text
            install(block.text, tmp_path / ELSEWHERE, following.text if following and declared else "")


@pytest.mark.parametrize("page", SESSIONS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_what_looks_like_a_session_is_run(page: Path) -> None:
    for block in blocks(page):
        assert block.kind in RUN | SHOWN, f"line {block.line}: a fence says one of {', '.join(sorted(RUN | SHOWN))}"
        session = re.search(r"^(\$|>>>) ", block.text, re.MULTILINE)
        assert block.kind in RUN or not session, f"line {block.line}: sessions are fenced as console or pycon"


@pytest.mark.parametrize("page", PAGES[:2], ids=lambda page: page.name)
def test_links_of_pages_beside_the_site_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (ROOT / link).is_file()] == []


@every_page
def test_no_page_knows_the_machine_it_was_written_on(page: Path) -> None:
    assert not re.findall(r"/(?:work|home|root|tmp|Users)/\S*", page.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "name",
    [
        *("guide/gate.md", "guide/from-ir-measures.md", "guide/pyterrier.md", "guide/beir-and-mteb.md"),
        *("stories/engineer.md", "stories/researcher.md", "stories/student.md", "stories/organiser.md"),
    ],
)
def test_a_task_takes_ten_commands(name: str) -> None:
    page = ROOT / "docs" / name
    assert sum(len(steps(block.text)) for block in blocks(page) if block.kind == "console") <= 10


def test_a_session_is_told_apart(tmp_path: Path) -> None:
    text = "$ echo a \\\n> b\na b\n$ false\n$ echo $?\n1\n$ echo 1 2 3\n1 ... 3\n"
    assert steps(text)[0] == Step("echo a \\\nb\n", "a b\n")
    run_console(Block("console", text, 1), tmp_path)


def test_what_differs_is_shown(tmp_path: Path) -> None:
    with pytest.raises(pytest.fail.Exception, match="the page says:\nb\n\nand it is:\na\n"):
        run_console(Block("console", "$ echo a\nb\n", 1), tmp_path)
    with pytest.raises(AssertionError, match=r"Got:\s+2"):
        run_python(Block("pycon", ">>> 1 + 1\n3\n", 1), {})
