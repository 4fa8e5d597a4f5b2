"""Hostile names through every command and form: nothing in them is carried out, and nothing breaks."""

import csv
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree as ET

import click
import pytest
from click.testing import CliRunner

from rankscale.cli.program import cli
from rankscale.data.arguments import register
from rankscale.outputs.names import FORMULA

NAMES = (
    *("\x1b[31mred", "\x1b]0;title\x07", "bell\x07", "\x9b31m", "\x7f\x08\x08gone", "\u202eevil", "\u2066x\u2069"),
    *("=cmd|'/C calc'!A0", "@SUM(1+1)*cmd", "+1+cmd|x", "-1+cmd|x", '=HYPERLINK("http://x")', "'quoted", '"a","b"'),
    *("<script>alert(1)</script>", "<img/src=x/onerror=alert(1)>", "]]>", "&lt;&#x27;", "</script><!--", "--><b>"),
    *("\\input{/etc/passwd}", "$x_1^2$", "100%", "a&b\\\\", "#1~^_{}", "a|b|c", "[x](javascript:alert(1))", "`*_x_*`"),
    *("__proto__", "constructor", "%s%n%d", "{0}{}", "..", "\\u0000", "\\x1b", "caf\u00e9", "\u6f22\u5b57"),
    *(
        "../../etc/passwd",
        "zero\u200bwidth\ufeff",
        "\udcff\udcfe\udc80",
        "\u2028line\u2029",
        "n" * 3_000,
    ),
)
TAGS = tuple(dict.fromkeys(re.sub(r"[\s/]", "_", name) for name in NAMES))  # as tags of runs can be: one word
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
RUNS = [f"runs/{number}" for number in range(len(TAGS))]
FEW = RUNS[:8]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Qrels whose topics, and runs whose tags, topics and documents have such names."""
    made: Path = tmp_path_factory.mktemp("hostile")
    (made / "runs").mkdir()
    topics = TAGS[:12]
    qrels = "".join(f"{topic} 0 {document} {place % 3}\n" for topic in topics for place, document in enumerate(TAGS))
    (made / "qrels").write_bytes(qrels.encode("utf-8", "surrogateescape"))
    (made / "qrels-b").write_bytes(qrels.replace(" 2\n", " 1\n").encode("utf-8", "surrogateescape"))
    groups = "".join(f"{topic}\t{TAGS[n % 3]}\n" for n, topic in enumerate(topics))
    (made / "groups").write_bytes(groups.encode("utf-8", "surrogateescape"))
    odd = [
        f"{start}\n{end}\t\x00" for start, end in zip(NAMES[:6], NAMES[6:12], strict=True)
    ]  # names that JSON can hold
    (made / "odd.json").write_text(json.dumps({topic: dict.fromkeys(odd, 1) for topic in odd}))
    (made / "odd-run.json").write_text(json.dumps({topic: dict.fromkeys(odd, 1.5) for topic in odd}))
    for number, tag in enumerate(TAGS):
        lines = (
            f"{topic} Q0 {document} {place} {(place * (number + 3) + t) % 17} {tag}\n"
            for t, topic in enumerate(topics)
            for place, document in enumerate(TAGS)
        )
        (made / "runs" / str(number)).write_bytes("".join(lines).encode("utf-8", "surrogateescape"))
    return made


def plain(text: str) -> None:
    assert RAW.search(text) is None, RAW.findall(text)[:5]


def cells(rows: Iterator[list[str]]) -> None:
    table = list(rows)
    assert len({len(row) for row in table}) == 1
    assert not [cell for row in table for cell in row if FORMULA.match(cell) and not _is_number(cell)]


def _is_number(cell: str) -> bool:
    return re.fullmatch(r"[+-]?(\d+\.?\d*(e[+-]?\d+)?|inf|nan)", cell) is not None


class Tags(HTMLParser):
    """Elements of a page, with their attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        assert not [name for name, _ in attrs if name.startswith("on")]


def page(text: str) -> None:
    reader = Tags()
    reader.feed(text)
    assert not {"script", "img", "b"} & set(reader.seen)


def latex(text: str) -> None:
    assert "\\input" not in text
    assert "passwd}" not in text.replace("\\}", "")
    for table in text.split("\\begin{tabular}")[1:]:
        rows = [line for line in table.split("\\end{tabular}")[0].splitlines() if line.endswith(r"\\")]
        assert len({line.count(" & ") for line in rows}) == 1


def markdown(text: str) -> None:
    for table in text.split("\n\n"):
        rows = [line for line in table.splitlines() if line.startswith("|")]
        assert len({len(re.sub(r"\\.", "", line).split("|")) for line in rows}) <= 1
    assert "<script" not in re.sub(r"\\.", "", text)


LOOK: dict[str, Callable[[str], object]] = {
    "table": plain,
    "tsv": lambda text: cells(line.split("\t") for line in text.splitlines()),
    "csv": lambda text: cells(csv.reader(StringIO(text))),
    "json": json.loads,
    "jsonl": lambda text: [json.loads(line) for line in text.splitlines()],
    "latex": latex,
    "markdown": markdown,
    "html": page,
}
SEVERAL = ["qrels", *FEW[:4]]
PAIR = ["qrels", *FEW[:2]]
# Of every command that writes in forms: what stands after its name; of a study files of several runs unless said.
ROWS: dict[str, list[list[str]]] = {name: [SEVERAL] for name in register("studies")} | {
    "evaluate": [
        ["qrels", *RUNS, "-m", "AP"],
        [*SEVERAL, "-m", "AP", "--per-topic"],
        [*SEVERAL, "-m", "AP", "--wide"],
        ["odd.json", "odd-run.json", "-m", "AP", "--per-topic"],
    ],
    "curves": [["qrels", *FEW[:3], "-m", "P", "--depth", "3"]],
    "compare": [
        [*SEVERAL, "-m", "AP", "--pairs"],
        [*SEVERAL, "-m", "AP"],
        [*SEVERAL, "-m", "AP", "--matrix"],
        [*SEVERAL, "-m", "AP", "--statements"],
    ],
    "scale": [["P@3", "--rank", "1,0,1"]],
    "agree": [["qrels", "qrels-b", *FEW[:3], "-m", "AP"]],
    "archetypes": [[*PAIR]],
    "bounds": [[*PAIR]],
    "changes": [[*SEVERAL, "-m", "P@5"]],
    "correlate": [[*SEVERAL, "-m", "AP", "-m", "P@5"]],
    "diff": [[*PAIR, "-m", "AP"]],
    "discriminate": [[*SEVERAL, "-m", "AP", "--samples", "20"]],
    "gate": [[*PAIR, "-m", "AP", "--margin", "0.01"]],
    "intervals": [[*SEVERAL, "-m", "P@5"]],
    "leave-out": [[*SEVERAL, "-m", "AP"]],
    "overlap": [FEW[:3]],
    "partial-order": [[*PAIR]],
    "pool": [["qrels", *FEW[:3], "--pool-depth", "3", "--table", "topics"]],
    "pool-orders": [[*SEVERAL, "-m", "AP"]],
    "recall-precision": [[*PAIR]],
    "robustness": [[*SEVERAL, "-m", "AP", "--samples", "2"]],
    "topic-groups": [[*SEVERAL, "-m", "AP", "--groups", "groups"]],
    "fuse": [[*FEW[:3], "-o", "fused.txt", "--tune", "AP", "--qrels", "qrels"]],
    "check": [[*FEW, "--qrels", "qrels"]],
}
ELSEWHERE = {  # commands without forms: where they are tried, or why they need not be
    "figure": "test_drawn_names.py, and test_figures_are_drawn",
    "report": "tests/reporting/test_report.py",
    "serve": "test_drawn_names.py",
    "convert": "test_a_terminal_is_shown_no_escapes_of_files",
    "trec_eval": "test_a_terminal_is_shown_no_escapes_of_files",
    "measures": "reads no files",
    "demo": "reads no files of others",
    "completion": "reads no files",
}
ONLY = {"--matrix": {"table"}, "--statements": {"table", "json"}}  # forms of some options


def forms_of(command: str) -> list[str]:
    """The forms that a command offers, as it declares them."""
    made = cli.get_command(click.Context(cli), command)
    assert made is not None
    return next(list(param.type.choices) for param in made.params if param.name == "written_as")  # type: ignore[attr-defined]


def test_every_command_has_a_row():
    assert set(ROWS) | set(ELSEWHERE) == set(cli.list_commands(click.Context(cli)))
    assert not set(ROWS) & set(ELSEWHERE)


@pytest.mark.parametrize("command", ROWS)
def test_nothing_in_a_name_is_carried_out(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    for words in ROWS[command]:
        offered = forms_of(command)
        for form in [one for one in offered if all(one in ONLY[word] for word in words if word in ONLY)]:
            where = ["-o", "out.parquet"] if form == "parquet" else ["--format", form]
            if command == "fuse" and form == "parquet":
                continue  # -o is the fused run
            ended = CliRunner().invoke(cli, [command, *words, *where])
            called = f"{command} {words[-2:]} {form}"
            is_error = ended.exception is not None and not isinstance(ended.exception, SystemExit)
            assert not is_error, (called, ended.exception)
            assert ended.exit_code in {0, 1, 3}, (called, ended.output[-500:])
            plain(ended.stdout)
            plain(ended.stderr)
            if form != "parquet":
                assert ended.stdout, called
                LOOK[form](ended.stdout)


def test_json_gives_back_every_name(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for form in ("json", "jsonl"):
        ended = CliRunner().invoke(cli, ["evaluate", "qrels", *RUNS, "-m", "AP", "--format", form])
        rows = json.loads(ended.stdout)["runs"] if form == "json" else map(json.loads, ended.stdout.splitlines())
        assert {row["run"] for row in rows} == set(TAGS)


def test_formulas_can_be_kept(folder, monkeypatch):
    monkeypatch.chdir(folder)
    ended = CliRunner().invoke(cli, ["evaluate", "qrels", *RUNS, "-m", "AP", "--format", "csv", "--formulas", "keep"])
    assert [row[0] for row in csv.reader(StringIO(ended.stdout)) if row[0].startswith("=cmd")]
    plain(ended.stdout)


@pytest.mark.parametrize(
    "figure", [["means", "-m", "AP"], ["topics", "-m", "AP"], ["curves", "-m", "P"]], ids=lambda f: f[0]
)
def test_figures_are_drawn(figure, folder, monkeypatch):
    pytest.importorskip("vl_convert")
    monkeypatch.chdir(folder)
    name, *options = figure
    for ending in ("svg", "pdf", "html", "tsv"):
        ended = CliRunner().invoke(cli, ["figure", name, "qrels", *FEW, *options, "-o", f"figure.{ending}"])
        assert ended.exit_code == 0, ended.output
        plain(ended.output)
        written = (folder / f"figure.{ending}").read_bytes()
        assert written
        if ending == "svg":
            ET.fromstring(written)
        if ending == "html":
            assert b"<script>alert" not in written
            plain(written.decode().split("<main>")[1].split("</main>")[0])


def shown_on_terminal(words: list[str], folder: Path) -> str:
    """What a command writes to a terminal."""
    leader, follower = pty.openpty()
    started = subprocess.Popen(
        [sys.executable, "-m", "rankscale", *words], cwd=folder, stdout=follower, stderr=follower
    )
    os.close(follower)
    shown = b""
    while True:
        try:
            shown += (more := os.read(leader, 65_536))
        except OSError:
            break
        if not more:
            break
    os.close(leader)
    assert started.wait(60) in {0, 1}
    return shown.decode("utf-8", "replace").replace("\r\n", "\n")


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "qrels", *FEW[:3], "-m", "AP", "--format", "tsv"],
        ["evaluate", "qrels", *FEW[:3], "-m", "AP", "--format", "jsonl"],
        ["trec_eval", "-m", "runid", "-m", "map", "-q", "qrels", "runs/0"],
        ["convert", "runs/0", "-"],
    ],
    ids=["tsv", "jsonl", "trec_eval", "convert"],
)
def test_a_terminal_is_shown_no_escapes_of_files(words, folder):
    shown = shown_on_terminal(words, folder)
    assert "red" in shown
    assert "\x1b[31mred" not in shown
    plain(shown)


def test_the_drop_in_writes_the_bytes_of_trec_eval_elsewhere(folder, monkeypatch, capfdbinary):
    monkeypatch.chdir(folder)
    ended = subprocess.run(
        [sys.executable, "-m", "rankscale", "trec_eval", "-m", "runid", "qrels", "runs/0"],
        capture_output=True,
        check=True,
    )
    assert ended.stdout == b"runid                 \tall\t\x1b[31mred\n"
