"""Names given to runs, folders of runs, and qrels and runs in the wrong order."""

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

import rankscale as rs
from rankscale.errors import InputError

GIVEN = ("--sort", "given")


def names(outcome: Any) -> list[str]:
    """The first words of the lines of a table, below its header."""
    assert outcome.code == 0, outcome.err
    return [words[0] for words in outcome.words[1:]]


def test_a_run_is_named_in_its_place_or_added(rankscale: Any, qrels: Path, good: Path, part: Path) -> None:
    assert names(rankscale("evaluate", qrels, good, part, "--name", f"first={good}", "-m", "AP", *GIVEN)) == [
        "first",
        "part",
    ]
    assert names(rankscale("evaluate", qrels, part, "--name", f"A={good}", "-m", "AP", *GIVEN)) == ["part", "A"]
    only = rankscale("evaluate", qrels, "--name", f"A={good}", "--name", f"my run={part}", "-m", "AP", *GIVEN)
    assert [line[:6].strip() for line in only.out.splitlines()[1:]] == ["A", "my run"]


@pytest.mark.parametrize(
    "command",
    [["curves", "-m", "P"], ["compare", "-m", "AP"], ["correlate", "-m", "AP", "-m", "P@2"], ["report", "-o", "-"]],
)
def test_names_are_given_in_every_command(
    command: list[str], rankscale: Any, qrels: Path, good: Path, part: Path
) -> None:
    outcome = rankscale(*command[:1], qrels, part, "--name", f"Alpha={good}", *command[1:])
    assert outcome.code == 0, outcome.err
    assert command[0] == "correlate" or "Alpha" in outcome.out


def test_a_command_of_one_run_takes_its_name_alone(rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "crp.tsv"
    figure = ["figure", "crp", qrels, good, "--topic", "1", "-o", drawn]
    assert rankscale(*figure, "--name", f"Alpha={good}").code == 0
    message = rankscale(*figure, "--name", f"Alpha={qrels}").refused
    assert f"--name: this command takes one run; write --name NAME={good}" in message


def test_names_that_cannot_be(rankscale: Any, qrels: Path, good: Path, part: Path, tmp_path: Path) -> None:
    for wrong in ("A", "=run.txt", "A="):
        expected = f"expected a name and the file of its run, such as bm25=run.txt, found '{wrong}'"
        assert expected in rankscale("evaluate", qrels, good, "--name", wrong).refused
    twice = rankscale("evaluate", qrels, "--name", f"A={good}", "--name", f"A={part}").refused
    assert twice == "Error: --name: A is there twice; give each run a name of its own\n"
    runs = tmp_path / "runs"
    runs.mkdir()
    for run in (good, part):
        shutil.copy(run, runs)
    message = rankscale("evaluate", qrels, "--name", f"A={runs}").refused
    assert message == f"rankscale: {runs}: there are 2 files, and the name A is for one run\n"
    assert "standard input can be read only once" in rankscale("evaluate", "-", "--name", "A=-").refused


def test_a_folder_of_runs_is_read_in_order(rankscale: Any, qrels: Path, good: Path, part: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    tira = runs / "m-tira"
    tira.mkdir(parents=True)
    shutil.copy(good, runs / "z.txt")
    shutil.copy(part, runs / "a.txt")
    (runs / ".hidden").write_text("no run")
    (runs / "notes").mkdir()
    (tira / "run.txt.gz").write_bytes(gzip.compress(good.read_bytes().replace(b"good", b"inner")))
    (tira / "ir-metadata.yml").write_text("tag: inner\n")
    assert names(rankscale("evaluate", qrels, runs, "-m", "AP", *GIVEN)) == ["part", "inner", "good"]
    assert names(rankscale("evaluate", qrels, tira, "-m", "AP")) == ["inner"]
    assert [run.name for run in rs.read_runs(qrels, runs)] == ["part", "inner", "good"]
    assert list(rs.evaluate(qrels, {"mine": tira}, "AP").runs) == ["mine"]
    (tira / "run.txt").write_bytes(good.read_bytes())
    with pytest.raises(InputError, match=r"m-tira: there is run\.txt and run\.txt\.gz; name the file to read"):
        rs.read_runs(qrels, tira)


def test_a_folder_without_runs(rankscale: Any, qrels: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    message = rankscale("evaluate", qrels, empty).refused
    assert message == f"rankscale: {empty}: there is no file in this folder; expected one for each run\n"


@pytest.mark.parametrize("command", ["evaluate", "compare", "report"])
def test_swapped_arguments_are_pointed_out(command: str, rankscale: Any, qrels: Path, good: Path) -> None:
    order = f"qrels come first, then runs: rankscale {command} QRELS RUN...\n"
    assert rankscale(command, good, qrels).refused.endswith(f"this is a run; {order}")
    assert rankscale(command, qrels, qrels).refused.endswith(f"these are qrels; {order}")


def test_values_have_no_runs_to_name(rankscale: Any, qrels: Path, good: Path, tmp_path: Path) -> None:
    values = tmp_path / "values.tsv"
    assert rankscale("evaluate", qrels, good, "-m", "AP", "--per-topic", "-o", values).code == 0
    message = rankscale("compare", "--values", values, "--name", f"A={good}").refused
    assert "--name needs rankings" in message


def test_a_run_of_three_columns_is_not_called_qrels(rankscale, tmp_path):
    qrels, scores, ranks = tmp_path / "qrels.txt", tmp_path / "scores.tsv", tmp_path / "ranks.tsv"
    qrels.write_text("1 0 a 1\n")
    scores.write_text("1\ta\t0.9\n1\tb\t0.4\n")
    ranks.write_text("1\ta\t1\n1\tb\t2\n")
    assert "these are qrels" not in rankscale("evaluate", qrels, scores).refused
    assert "these are qrels" not in rankscale("evaluate", qrels, ranks, "--order", "score").refused
