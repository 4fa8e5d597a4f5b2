"""The pages that are made from the sources, and the site that is made from the pages."""

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rankscale.cli import COMMANDS
from rankscale.measures.register_table import CLASSES

ROOT = Path(__file__).parents[2]


@pytest.fixture
def make_docs() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_docs", ROOT / "tools" / "make_docs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_what_the_sources_say() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_docs.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_check_ends_with_1_where_a_page_has_drifted(
    make_docs: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(make_docs, "DOCS", tmp_path)
    monkeypatch.setattr(sys, "argv", ["make_docs.py"])
    assert make_docs.main() == 0
    monkeypatch.setattr(sys, "argv", ["make_docs.py", "--check"])
    assert make_docs.main() == 0
    (tmp_path / "measures.md").write_text("# Measures\n")
    assert make_docs.main() == 1
    assert capsys.readouterr().err == "docs/measures.md is not what the sources say; `make docs` writes it anew\n"


def test_every_measure_and_every_command_has_its_place(make_docs: ModuleType) -> None:
    measures, commands = make_docs.measures_page(), make_docs.commands_page()
    assert re.findall(r"^\| `(\w+)` \| (?:-inf|\d) to ", measures, re.MULTILINE) == list(CLASSES)
    assert re.findall(r"^## rankscale (\w+)$", commands, re.MULTILINE) == list(COMMANDS)


def test_the_site_builds_without_a_warning_and_asks_for_nothing_elsewhere(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
    assert (tmp_path / "contributing.html").exists()
    for page in tmp_path.rglob("*.html"):
        loaded = re.findall(r"<(?:script|link|img|iframe)[^>]*(?:https?:)?//[^>]*>", page.read_text(encoding="utf-8"))
        assert loaded == [], page.name
    for sheet in tmp_path.rglob("*.css"):
        assert not re.search(r"url\(['\"]?(?:https?:)?//|@import", sheet.read_text(encoding="utf-8")), sheet.name
