"""What tests share: the real collections, where they are, and a real browser."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

# A loaded machine is no reason to fail: tests check what comes out, benchmarks how fast.
settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")

SHARED_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real TREC runs and judgments; it is not part of the project."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no real collections beside the project (../shared/data)")
    return SHARED_DATA


@pytest.fixture(scope="session")
def trec_8(shared_data: Path) -> tuple[Qrels, list[Run]]:
    """The judgments of TREC-8 and its 129 runs, read once for all tests."""
    folder = shared_data / "trec8_adhoc"
    qrels = rs.read_qrels(folder / "trec8.qrels.gz")
    return qrels, rs.read_runs(qrels, sorted((folder / "runs").iterdir()))


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Debian's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    program = shutil.which("chromium")
    if program is None:
        pytest.skip("no chromium on this machine: apt-get install chromium")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, str], Path]:
    """A small file; lines may be written apart by `/`."""

    def write(name: str, lines: str) -> Path:
        path = tmp_path / name
        path.write_text("".join(f"{line.strip()}\n" for line in lines.split("/")), encoding="utf-8")
        return path

    return write


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where the real collections are, no test may be left out."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if SHARED_DATA.is_dir() and skipped and session.exitstatus == pytest.ExitCode.OK:
        reporter.write_line(f"\n{len(skipped)} tests were skipped although the real collections are here", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
