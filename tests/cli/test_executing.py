"""`--executor` and `--resume`: the same bytes wherever a command runs, and after it was killed."""

import os
import shutil
import signal
import subprocess
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rankscale.executors.dask import Dask
from rankscale.sample import QRELS, RUNS
from tools.draw_gallery import SLOW

SCRIPT = Path(sysconfig.get_path("scripts")) / "rankscale"
NAMES = ("bm25", "bm25-rm3", "dense-zero", "manual")
COMMANDS = {
    "evaluate": ["-m", "AP", "-m", "nDCG@10", "--per-topic", "--ties", "range", "--bounds", "-m", "P@5"],
    "curves": ["-m", "nDCG", "-m", "P@5", "--depth", "20", "--ideal"],
    "robustness": ["-m", "AP", "--iterations", "2", "--sizes", "50,20", "--power", "bootstrap", "--samples", "50"],
    "discriminate": ["-m", "AP", "-m", "P@10", "--samples", "200"],
    "intervals": ["-m", "P@5", "-m", "RBP(p=0.5)@5", "--against", "SBTO"],
    "changes": ["-m", "P@5", "-m", "RR@5", "-t", "student", "-t", "bootstrap", "--samples", "100"],
    "leave-out": ["-m", "AP", "--pool-depth", "10"],
}
QUICK = ("evaluate", "curves")
every_command = pytest.mark.parametrize(
    "command", [name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in COMMANDS]
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Qrels and a few runs of the sample."""
    folder = tmp_path_factory.mktemp("runs")
    for path in RUNS:
        if path.name.removesuffix(".txt.xz") in NAMES:
            shutil.copy(path, folder)
    return [str(QRELS), str(folder)]


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster of two workers."""
    with Dask(workers=2) as cluster:
        address = cluster._connected().scheduler_info()["address"]
        yield str(address).removeprefix("tcp://")


@every_command
def test_the_same_bytes_wherever_it_runs(
    rankscale: Any, files: list[str], scheduler: str, tmp_path: Path, command: str
) -> None:
    arguments = [command, *files, *COMMANDS[command], "--format", "json"]
    plain = rankscale(*arguments)
    assert plain.code == 0, plain.err
    outcome = (0, plain.raw, SLOW.sub("", plain.err))
    for where in ("processes:2", f"dask://{scheduler}"):
        result = rankscale(*arguments, "--executor", where)
        assert (result.code, result.raw, SLOW.sub("", result.err)) == outcome
    for where in ("inline", f"dask://{scheduler}", "inline"):
        result = rankscale(*arguments, "--executor", where, "--resume", tmp_path / "job")
        assert (result.code, result.raw, SLOW.sub("", result.err)) == outcome
        for path in list((tmp_path / "job").glob("*/00000[13].result")):
            path.unlink()  # as if it had been killed


def test_another_job_is_refused_with_its_option(rankscale: Any, files: list[str], tmp_path: Path) -> None:
    job = tmp_path / "job"
    assert rankscale("evaluate", *files, "-m", "AP", "--resume", job).code == 0
    assert rankscale("evaluate", *files, "-m", "AP", "--resume", job, "--digits", "2", "--threads", "1").code == 0
    refused = rankscale("evaluate", *files, "-m", "RR", "--resume", job).refused
    assert f"{job}: holds results of another job (--measure was AP, and is RR); give another folder" in refused
    refused = rankscale("discriminate", *files, "-m", "AP", "--resume", job).refused
    assert "the command was evaluate, and is discriminate" in refused


def test_a_folder_that_is_a_file_and_an_executor_that_is_none_are_refused(
    rankscale: Any, files: list[str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    assert "is a file" in rankscale("evaluate", *files, "--resume", tmp_path / "file").refused
    refused = rankscale("evaluate", *files, "--executor", "thread").refused
    assert "the executor must be inline, processes, processes:4, dask, dask:4 or dask://HOST:PORT" in refused


def test_a_run_on_standard_input_is_measured_elsewhere(program: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    run = b"1 Q0 a 1 2.0 mine\n"
    arguments = ["evaluate", tmp_path / "qrels", "-", "-m", "AP", "--format", "tsv"]
    assert program(*arguments, "--executor", "processes:1", stdin=run).raw == program(*arguments, stdin=run).raw


def test_a_file_of_several_runs_is_measured_elsewhere(rankscale: Any, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "runs.csv").write_text("run,topic,document,score\nx,1,a,1\ny,1,b,1\n")
    arguments = ["evaluate", tmp_path / "qrels", tmp_path / "runs.csv", "-m", "AP", "--format", "tsv"]
    assert rankscale(*arguments, "--executor", "processes:1").raw == rankscale(*arguments).raw


@pytest.mark.slow
def test_a_command_that_is_killed_is_resumed(files: list[str], tmp_path: Path) -> None:
    arguments = [str(SCRIPT), "robustness", *files, "-m", "AP", "--sizes", "50,20", "--format", "json"]
    plain = subprocess.run([*arguments, "--iterations", "20"], capture_output=True, check=True).stdout
    job = [*arguments, "--iterations", "20", "--executor", "processes:2", "--resume", str(tmp_path / "job")]
    with subprocess.Popen(job, stdout=subprocess.PIPE, start_new_session=True) as process:
        while len(list((tmp_path / "job").glob("0/*.result"))) < 3 and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    left = set(os.listdir(tmp_path / "job" / "0"))
    assert 3 <= len(left) < 40
    assert subprocess.run(job, capture_output=True, check=True).stdout == plain


@pytest.mark.slow
def test_dask_on_this_machine(program: Any, files: list[str]) -> None:
    arguments = ["evaluate", *files, "-m", "AP", "--format", "tsv"]
    cluster, plain = program(*arguments, "--executor", "dask:1"), program(*arguments)
    assert (cluster.code, cluster.raw, cluster.err) == (0, plain.raw, plain.err)
