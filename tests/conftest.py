"""What tests share: the real collections, where they are, a real browser, and how much is tried."""

import gc
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from _pytest.assertion.rewrite import PYC_TAIL, _read_pyc, _rewrite_test, _write_pyc, assertstate_key, get_cache_dir
from hypothesis import is_hypothesis_test, settings

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run

# pytest keeps the test modules that it has rewritten, also where the environment forbids bytecode:
# collecting then takes half the time.
sys.dont_write_bytecode = False

# A shell without job control starts what runs in the background with interrupts ignored, and the programs that tests
# start and interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# ranx, an oracle, compiles each of its functions with numba: on a few rankings that takes minutes, running it none.
os.environ.setdefault("NUMBA_DISABLE_JIT", "1")

# A loaded machine is no reason to fail: tests check what comes out, benchmarks how fast. The quick profile tries a part
# of the examples of the thorough one: each number of examples in a test is that of the thorough profile.
settings.register_profile("thorough", deadline=None, derandomize=True)
settings.register_profile("quick", settings.get_profile("thorough"))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
QUICK_SHARE = 4  # the quick profile tries one example of so many, and
QUICK_LEAST = 5  # never fewer than so many, unless the test itself wants fewer

MANY_MODULES = 40  # that are new: fewer are rewritten while they are collected

NO_BROWSER = "no chromium on this machine"
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
        pytest.skip(NO_BROWSER)
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


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than cores: while a worker waits for a browser or another program, the others work on."""
    return len(os.sched_getaffinity(0)) + 1


def pytest_configure(config: pytest.Config) -> None:
    """Let all cores rewrite the assertions of new modules, which each worker would do for itself while it collects."""
    if hasattr(config, "workerinput"):
        return
    asked = [config.invocation_params.dir / argument.partition("::")[0] for argument in config.args]
    modules = [path for folder in asked for pattern in ("test_*.py", "conftest.py") for path in folder.rglob(pattern)]
    new = [path for path in modules if _read_pyc(path, _kept_at(path)) is None]
    if len(new) >= MANY_MODULES:
        cores, forked = os.cpu_count() or 1, multiprocessing.get_context("fork")
        parts = [forked.Process(target=_rewrite, args=(config, new[core::cores])) for core in range(cores)]
        for part in parts:
            part.start()
        for part in parts:
            part.join()


def _rewrite(config: pytest.Config, modules: list[Path]) -> None:
    """What pytest does when it imports test modules for the first time, but for running them."""
    for path in modules:
        kept = _kept_at(path)
        kept.parent.mkdir(exist_ok=True)
        digest, code = _rewrite_test(path, config)
        _write_pyc(config.stash[assertstate_key], code, digest, kept)


def _kept_at(path: Path) -> Path:
    return get_cache_dir(path) / f"{path.stem}{PYC_TAIL}"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what draws a figure at every look as slow; take a part of the examples where the profile is quick."""
    tests = [item for item in items if isinstance(item, pytest.Function)]
    for item in tests:
        if "check_drawing" in item.fixturenames and item.get_closest_marker("quick_look") is None:
            item.add_marker(pytest.mark.slow)
    if settings.get_current_profile_name() == "quick":
        quick = [item for item in tests if item.get_closest_marker("slow") is None]  # slow ones always try all
        for function in {item.obj for item in quick if is_hypothesis_test(item.obj)}:
            whole: settings = function._hypothesis_internal_use_settings
            fewer = min(whole.max_examples, max(QUICK_LEAST, whole.max_examples // QUICK_SHARE))
            function._hypothesis_internal_use_settings = settings(whole, max_examples=fewer)


def pytest_collection_finish() -> None:
    """What was collected stays to the end: searches for cycles need not go through it again and again."""
    gc.collect()
    gc.freeze()


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where the real collections are, no test may be left out but for want of a browser; the last lines tell."""
    reporter: Any = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    others = [report.nodeid for report in skipped if NO_BROWSER not in str(report.longrepr)]
    unseen = len(skipped) - len(others)
    if unseen:
        reporter.write_line(
            f"\n{unseen} tests were skipped: {NO_BROWSER}. To run them: apt-get install chromium, then make test",
            yellow=True,
        )
    if SHARED_DATA.is_dir() and others and session.exitstatus == pytest.ExitCode.OK:
        names = "\n".join(others)
        reporter.write_line(
            f"\n{len(others)} tests were skipped although the real collections are here\n{names}", red=True
        )
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
