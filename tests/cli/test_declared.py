"""Commands as they are declared: registers that are up to date, help that says all, examples that run."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest

import rankscale as rs
from rankscale.cli.figure import FIGURES, figure_command
from rankscale.cli.program import cli, commands
from rankscale.cli.study import study_command
from rankscale.data.arguments import register
from rankscale.sample import QRELS, RUNS

ROOT = Path(__file__).parents[2]
OWN_HELP = {"trec_eval", "figure"}
QUICK = {"robustness": ["--iterations", "1"], "changes": ["-t", "sign"]}
ENDS = {"check": {0, 1}, "gate": {0, 1, 3}}  # 1 where something is odd, as it is in the sample; verdicts
STUDIES = register("studies")
EVERY = [
    *((name,) for name in sorted(commands().keys() - OWN_HELP - {"completion"})),
    *(("figure", name) for name in FIGURES),
]


def command_named(*words: str) -> click.Command:
    context = click.Context(cli)
    made = cli.get_command(context, words[0]) if words[0] != "figure" else figure_command(words[1])
    assert made is not None
    return made


def examples_of(*words: str) -> list[str]:
    return re.findall(rf"^  (rankscale {' '.join(words)}.*)$", command_named(*words).help or "", re.MULTILINE)


def test_registers_are_what_the_sources_say() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "make_commands.py", "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_option_says_its_default_and_what_it_does(words: tuple[str, ...]) -> None:
    for option in command_named(*words).params:
        if isinstance(option, click.Option):
            assert option.help, option.name
            assert option.help.strip().endswith("."), option.help
            given = option.is_flag or option.required or (option.multiple and option.name == "rankings")
            assert given or option.show_default, option.name


@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_every_command_has_three_examples_that_can_be_read(words: tuple[str, ...]) -> None:
    command, examples = command_named(*words), examples_of(*words)
    assert len(examples) >= 3, "the section `Command line` of the function's docstring has fewer than three examples"
    parent = click.Context(cli, help_option_names=["-h", "--help"])
    for example in examples:
        command.make_context(words[-1], shlex.split(example)[1 + len(words) :], parent=parent)


@pytest.fixture(scope="module")
def example_runs() -> list[str]:
    """A few runs of the sample."""
    return [str(path) for path in RUNS if path.name.startswith(("bm25.", "dense-base", "manual", "tfidf"))]


@pytest.fixture(scope="module")
def example_files(example_runs: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of the files that examples name, but for qrels and runs; made once."""
    folder = tmp_path_factory.mktemp("examples")
    rs.evaluate(QRELS, example_runs, ["AP", "nDCG@10"]).write(str(folder / "values.tsv"))
    rs.write_qrels(rs.read_qrels(QRELS).conflated({1: 2}), str(folder / "other-qrels.txt"))
    (folder / "groups.txt").write_text(
        "".join(f"{topic} {'even' if topic % 2 == 0 else 'odd'}\n" for topic in range(101, 151))
    )
    table = "".join(f"{topic},{topic % 7},{'long' if topic % 3 else 'short'}\n" for topic in range(101, 151))
    (folder / "topics.csv").write_text(f"topic,words,length\n{table}")
    first, second = rs.read_qrels(QRELS).to_dict(), rs.read_qrels(folder / "other-qrels.txt").to_dict()
    judged = ((topic, word, name, grade) for word, one in (("a", first), ("b", second)) for topic, grades in one.items()
              for name, grade in grades.items())  # fmt: skip
    several = "".join(f"{topic} {word} {name} {grade:g}\n" for topic, word, name, grade in judged)
    (folder / "assessors.txt").write_text(several)
    (folder / "subtopic-qrels.txt").write_text(several)
    (folder / "corpus.jsonl").write_text('{"_id": "d1", "title": "One", "text": "words"}\n')
    (folder / "queries.tsv").write_text("101\ta question\n")
    (folder / "intents.txt").write_text("".join(f"{topic} a 0.5\n{topic} b 0.5\n" for topic in first))
    rs.partition(QRELS, str(folder / "qrels.set"), partitions=2)
    rs.partition(example_runs[0], str(folder / "bm25.set"), like=str(folder / "qrels.set"))
    rs.write_qrels(rs.read_qrels(QRELS), str(folder / "qrels.parquet"))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("words", EVERY, ids=" ".join)
def test_examples_run(
    words: tuple[str, ...],
    rankscale: Any,
    example_runs: list[str],
    example_files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = shutil.ignore_patterns("*.set") if words == ("convert",) else None  # it makes data sets of its own
    shutil.copytree(example_files, tmp_path, dirs_exist_ok=True, ignore=made)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rankscale.workbench.serve.Serving.run", lambda serving: serving.close())  # it would not end
    monkeypatch.setattr("webbrowser.open", lambda _: True)
    files = {
        "qrels.txt": [str(QRELS)],
        "runs/*.gz": example_runs,
        "run.txt": example_runs[:1],
        "other.txt": example_runs[1:2],
    }
    for example in examples_of(*words):
        arguments = [part for word in shlex.split(example)[1:] for part in files.get(word, [word])]
        flag, *value = QUICK.get(words[-1], [""])
        quicker = [flag, *value] if flag and flag not in arguments else []
        outcome = rankscale(*arguments, *quicker)
        assert outcome.code in ENDS.get(words[-1], {0}), (example, outcome.err)


def test_a_study_names_the_tables_that_it_has() -> None:
    for name, declared in STUDIES.items():
        (option,) = (one for one in study_command(name).params if one.name == "table")
        assert isinstance(option.type, click.Choice)
        assert list(option.type.choices) == list(declared.tables)


def test_unknown_declarations_are_no_commands() -> None:
    assert set(STUDIES) < set(commands())
    assert set(FIGURES) == set(register("figures"))


def test_a_command_called_by_itself_has_the_same_help_option() -> None:
    from rankscale.cli.report import command

    assert command.get_help(click.Context(command)).splitlines()[-1].startswith("  -h, --help ")
