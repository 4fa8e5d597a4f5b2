"""Command lines that write, one at least for each command and figure that can; `uncovered` names what has none.

In a case, OUT is the place written to, with an ending; Q, A, B and C are a small collection, QS and AS data sets of it.
"""

import random
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from rankscale.cli.program import cli, commands

FORMS = ("tsv", "csv", "json", "jsonl", "parquet", "tex", "md", "txt")
WRITING = ("output", "out", "resume", "held_out", "report")  # parameters of commands that name what is written
SMALL = {  # options that keep a study short
    "bounds": "--depths 1,5",
    "changes": "-m RR@3 -t sign",
    "correlate": "-m AP -m RR --samples 20",
    "discriminate": "-m AP --samples 20",
    "intervals": "-m RR@3",
    "leave-out": "-m AP --pool-depth 5",
    "pool": "--pool-depth 5",
    "pool-orders": "-m AP --pool-depths 5,10",
    "robustness": "-m AP --sizes 50 --iterations 2",
    "topic-groups": "-m AP --groups G",
}
OF_FIGURES = {
    "agree": "Q Q2 A B C",
    "asl": "Q A B C -m AP --samples 20",
    "bounds": "Q A B C --run a --depths 1,5",
    "correlate": "Q A B C -m AP -m RR",
    "crp": "Q A --topic 1",
    "crp-dcg": "Q A --topic 1",
    "diff": "Q A B -m AP",
    "effort-gain": "Q A",
    "hasse": "--length 3",
    "indicators": "Q A",
    "intervals": "Q A B C -m RR@3",
    "overlap": "A B C",
    "pools": "Q A B C -m AP --pool-depths 5,10",
    "robustness": "Q A B C -m AP --sizes 50 --iterations 2",
    "spacing": "-m nDCG --length 3",
    "values": "-m P -m RR -n 3",
}
OF_STUDIES = {"agree": "Q Q2 A B C", "diff": "Q A B -m AP", "gate": "Q A B -m AP --margin 0.9", "overlap": "A B C"}
OTHERS = (
    *(f"evaluate Q A B C -m AP -m nDCG@5 -o OUT.{form}" for form in (*FORMS, "html")),
    *(f"evaluate Q A B C -m AP --per-topic -o OUT.{form}" for form in FORMS),
    "evaluate QS AS -m AP --per-topic -o OUT.parquet",
    "evaluate Q A B C -m AP --resume OUT.job",
    "curves Q A B -m P --depth 5 -o OUT.tsv",
    "curves Q A B -m P --depth 5 -o OUT.parquet",
    "curves Q A B -m P --depth 5 --resume OUT.job",
    "compare Q A B C -m AP -o OUT.tsv",
    "compare Q A B C -m AP --statements -o OUT.json",
    "compare Q A B C -m AP -t sign --resume OUT.job",
    "scale DCG(base=2)@4 --rank 1,0,1,1 -o OUT.json",
    "scale AP@5 -o OUT.txt",
    "check A B --qrels Q -o OUT.json",
    *(f"convert A OUT.{ending}" for ending in ("txt", "txt.gz", "tsv.bz2", "jsonl.xz", "csv", "parquet")),
    "convert Q OUT.parquet",
    "convert Q OUT.tsv",
    "convert A OUT.set --partition-by topic --partitions 3",
    "convert Q OUT.set --partition-by topic --partitions 2",
    "fuse A B C -o OUT.txt",
    "fuse A B C -o OUT.parquet",
    "fuse A B C -o - --tune AP --qrels Q --report /dev/null --held-out OUT.gz",
    "fuse A B C -o - --tune AP --qrels Q --report OUT.json",
    "pool Q A B C --pool-depth 5 -o OUT.gz",
    "pool Q A B C --pool-depth 5 -o OUT.parquet",
    "report Q A B C -m AP -o OUT.html",
    "demo -o OUT.html",
    "demo --copy OUT.set",
    *(f"figure means Q A B C -m AP -o OUT.{ending}" for ending in ("svg", "pdf", "png", "html", "json", "csv")),
    "figure hasse --length 3 -o OUT.svg",
)


@dataclass(frozen=True)
class Case:
    """One command line that writes to a place of its own."""

    line: str

    @property
    def words(self) -> list[str]:
        return shlex.split(self.line.replace("(", "'(").replace(")", ")'"))

    @property
    def command(self) -> tuple[str, ...]:
        """The names of the command: two of a figure."""
        return tuple(self.words[: 2 if self.words[0] == "figure" else 1])

    @property
    def out(self) -> str:
        """The name of what is written."""
        return next(word for word in self.words if word.startswith("OUT."))

    @property
    def draws(self) -> bool:
        """Whether vl-convert, or a script that it brings, is needed."""
        return self.out.endswith((".svg", ".pdf", ".png", ".html"))

    @property
    def is_job(self) -> bool:
        """A folder of results to resume, which is written bit by bit."""
        return self.out.endswith(".job")

    def arguments(self, inputs: Path, folder: Path) -> list[str]:
        """The command line with real places."""
        places = {name: str(inputs / file) for name, file in FILES.items()}
        return [str(folder / word) if word.startswith("OUT.") else places.get(word, word) for word in self.words]


def cases() -> list[Case]:
    """All of them: studies and figures as they are registered, and the others."""
    with click.Context(cli) as context:
        figures = _group(context, "figure").list_commands(context)
    studies = [name for name, (module, _) in commands().items() if module.startswith("rankscale.cli.study:")]
    registered = set(_registered())
    lines = list(OTHERS)
    for study in [*studies, *OF_STUDIES]:
        data = OF_STUDIES.get(study, f"Q A B C {SMALL.get(study, '')}")
        endings = ("qrels", "txt.gz") if study == "pool" else ("tsv", "json")
        lines += [f"{study} {data} -o OUT.{ending}" for ending in endings]
        if ((study,), "resume") in registered:
            lines.append(f"{study} {data} --resume OUT.job")
    lines += [f"figure {name} {OF_FIGURES.get(name, 'Q A B C')} -o OUT.tsv" for name in figures]
    return [Case(line) for line in dict.fromkeys(lines)]


def uncovered() -> list[str]:
    """Parameters of commands that name what is written, and that no case has."""
    covered = {(case.command, name) for case in cases() for name in _writing_in(case)}
    return [" ".join((*command, name)) for command, name in _registered() if (command, name) not in covered]


def _writing_in(case: Case) -> Iterator[str]:
    """The parameter that OUT is given to."""
    before = case.words[case.words.index(case.out) - 1]
    yield {"-o": "output", "--resume": "resume", "--held-out": "held_out", "--report": "report"}.get(before, "out")


def _registered() -> Iterator[tuple[tuple[str, ...], str]]:
    with click.Context(cli) as context:
        figure = _group(context, "figure")
        places: list[tuple[tuple[str, ...], click.Command | None]]
        places = [((name,), cli.get_command(context, name)) for name in commands() if name != "figure"]
        places += [(("figure", name), figure.get_command(context, name)) for name in figure.list_commands(context)]
        for names, command in places:
            for param in command.params if command else ():
                if param.name in WRITING and names != ("trec_eval",):
                    yield names, param.name


def _group(context: click.Context, name: str) -> click.Group:
    group = cli.get_command(context, name)
    assert isinstance(group, click.Group)
    return group


FILES = {"Q": "qrels", "Q2": "qrels2", "A": "a", "B": "b", "C": "c", "G": "groups", "QS": "qrels.set", "AS": "a.set"}


def write_inputs(folder: Path) -> None:
    """The small collection: six topics, three runs of fifteen documents, by chance and always the same."""
    from rankscale.outputs.partition import partition

    chance = random.Random(1)
    topics = range(1, 7)
    for name in ("qrels", "qrels2"):
        lines = [f"{topic} 0 d{d} {max(0, chance.randint(-2, 3))}\n" for topic in topics for d in range(20)]
        (folder / name).write_text("".join(lines))
    for run in "abc":
        lines = [
            f"{topic} Q0 d{d} {rank + 1} {50 - rank} {run}\n"
            for topic in topics
            for rank, d in enumerate(chance.sample(range(25), 15))
        ]
        (folder / run).write_text("".join(lines))
    (folder / "groups").write_text("".join(f"{topic} {'odd' if topic % 2 else 'even'}\n" for topic in topics))
    partition(folder / "qrels", folder / "qrels.set", partitions=2)
    partition(folder / "a", folder / "a.set", like=folder / "qrels.set")
