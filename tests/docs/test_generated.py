"""The pages that are made from the sources."""

import doctest
import importlib.util
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rankscale.cli.program import cli
from rankscale.measures.base.register import find
from rankscale.measures.base.register_table import CLASSES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def make_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def written_once(make_docs: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with all pages."""
    folder = tmp_path_factory.mktemp("docs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(make_docs, "DOCS", folder)
        patch.setattr(sys, "argv", ["make_docs.py"])
        assert make_docs.main() == 0
    return folder


@pytest.fixture
def written(written_once: Path, make_docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which the program takes for the folder of the documentation."""
    shutil.copytree(written_once, tmp_path / "docs")
    monkeypatch.setattr(make_docs, "DOCS", tmp_path / "docs")
    return tmp_path / "docs"


@pytest.fixture(scope="module")
def measures_page(make_docs: ModuleType) -> str:
    page: str = make_docs.measures_page()
    return page


def test_the_pages_are_what_the_sources_say() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_check_ends_with_1_where_a_page_has_drifted(
    make_docs: ModuleType, written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["make_docs.py", "--check"])
    assert make_docs.main() == 0
    (written / "measures.md").write_text("# Measures\n")
    assert make_docs.main() == 1
    assert capsys.readouterr().err == "docs/measures.md is not what the sources say; `make docs` writes it anew\n"


def test_pages_of_measures_that_are_gone_are_told_and_deleted(
    make_docs: ModuleType, written: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    names = sorted(path.name for path in (written / "measures").iterdir())
    assert names == sorted(make_docs.file_names().values())
    (written / "measures" / "gone.md").write_text("# Gone\n")
    (written / "measures" / "ap.md").unlink()
    monkeypatch.setattr(sys, "argv", ["make_docs.py", "--check"])
    assert make_docs.main() == 1
    assert capsys.readouterr().err.splitlines() == [
        "docs/measures/ap.md is not what the sources say; `make docs` writes it anew",
        "docs/measures/gone.md is of nothing that exists; `make docs` deletes it",
    ]
    monkeypatch.setattr(sys, "argv", ["make_docs.py"])
    assert make_docs.main() == 0
    assert sorted(path.name for path in (written / "measures").iterdir()) == names


def test_no_two_pages_differ_in_capitals_alone(make_docs: ModuleType) -> None:
    assert len({page.casefold() for page in make_docs.file_names().values()}) == len(CLASSES)
    pages = make_docs.file_names({"gP": "a.graded:gP", "GP": "a.other:GP", "AP": "a.ap:AP"})
    assert pages == {"gP": "graded-gp.md", "GP": "other-gp.md", "AP": "ap.md"}
    with pytest.raises(SystemExit, match="two measures would have the page"):
        make_docs.file_names({"gP": "a.graded:gP", "GP": "a.graded:GP"})


@pytest.mark.parametrize("name", CLASSES)
def test_the_page_of_a_measure_says_all_that_is_known_of_it(
    name: str, make_docs: ModuleType, measures_page: str
) -> None:
    measure, page = find(name), make_docs.measure_page(find(name))
    assert page.startswith(f"# {name}\n")
    assert f"| formula | `{measure.formula}` |" in page.replace("\\|", "|")
    for word in ("written", "limits", "recall base", "bounds", "ties", "scale", "topics", "paper"):
        assert re.search(rf"^\| {word} \| .+ \|$", page, re.MULTILINE), word
    assert (f"| undefined | where {make_docs._prose(measure.undefined)} |" in page) == bool(measure.undefined)
    assert ("| direction | low is good |" in page) == measure.low_is_good
    assert "(../measures.md)" in page
    assert f"](measures/{make_docs.file_names()[name]})" in measures_page
    assert "```pycon\n>>> " in page
    examples = doctest.DocTestParser().get_examples("".join(re.findall(r"```pycon\n(.*?)```", page, re.DOTALL)))
    assert sum(bool(example.want) for example in examples) == (measure.__doc__ or "").count(">>> ") - sum(
        not example.want for example in doctest.DocTestParser().get_examples(measure.__doc__ or "")
    )


def test_what_a_reader_has_to_import_is_imported(make_docs: ModuleType) -> None:
    page = make_docs.measure_page(find("RBP"))
    assert (
        "```pycon\n>>> from rankscale.measures.rbp import RBP\n>>> from rankscale.data.judged import judged\n" in page
    )
    assert (
        "| `p` | the probability of reading on after a document | `0.8` | a number | must lie between 0 and 1," in page
    )
    page = make_docs.measure_page(find("IPrec"))
    assert re.search(r"\| `recall` \| [^|]* \| must be given \| a number \| must lie between 0 and 1 \|", page)
    assert "| parameter | what it means | default | kind |\n" in make_docs.measure_page(find("AP"))  # without limits


def test_every_measure_and_every_command_has_its_place(make_docs: ModuleType, measures_page: str) -> None:
    measures, commands = measures_page, make_docs.commands_page()
    limits = r"-?(?:inf|\d)[^|]* to [^|]*|those of the other measure "
    assert re.findall(rf"^\| `(\w+)` \| (?:{limits})\| ", measures, re.MULTILINE) == list(CLASSES)
    assert re.findall(r"^## rankscale ([\w-]+)$", commands, re.MULTILINE) == list(cli.members)
