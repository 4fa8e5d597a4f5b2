"""`rankscale report`: the file, what is said, and what is refused."""

import hashlib
import lzma
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from rankscale.cli.report import SECTIONS
from rankscale.errors import UnknownNameError
from rankscale.reporting import report
from rankscale.sample import QRELS, RUNS

SOME = [str(path) for path in RUNS if path.name.startswith("bm25")]


def test_a_report_is_written_and_told(rankscale: Any, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    outcome = rankscale("report", str(QRELS), *SOME, "-m", "nDCG@10", "-m", "AP", "-o", str(output), "--theme", "dark")
    assert outcome.code == 0
    assert outcome.out == ""
    assert f"the report is in {output}" in outcome.err
    text = output.read_text(encoding="utf-8")
    assert 'data-theme="dark"' in text
    for words in ("Statements", "Leaderboard", "Provenance", "SHA-256", "bm25-ce-pair"):
        assert words in text


def test_a_baseline_is_compared_with(rankscale: Any, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    outcome = rankscale("report", str(QRELS), *SOME, "-m", "P@10", "--baseline", "bm25", "-o", str(output))
    assert outcome.code == 0
    assert "bm25-ce-pair is better than bm25 in mean P@10" in output.read_text(encoding="utf-8")


def test_the_same_runs_give_the_same_bytes(rankscale: Any, tmp_path: Path) -> None:
    written = []
    for threads in ("1", "2"):
        output = tmp_path / "report.html"
        asked = ["report", str(QRELS), *SOME, "-m", "nDCG@10", "--robustness", "--seed", "3"]
        assert rankscale(*asked, "--threads", threads, "-o", str(output)).code == 0
        written.append(output.read_text(encoding="utf-8").replace(f"--threads {threads}", ""))
    assert written[0] == written[1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([SOME[0]], "a report compares runs: give two or more"),
        ([*SOME, "--baseline", "nobody"], "nobody"),
        ([*SOME, "--inspect", "nobody"], "there is no run 'nobody' to inspect"),
        ([*SOME, "-m", "nonsense"], "unknown measure 'nonsense'"),
        ([*SOME, "-t", "nonsense"], "nonsense"),
        ([*SOME, "--effort", "CRP@10"], "as Twist is, and CRP@10 is not one"),
        ([*SOME, "--effort", "Twits"], "did you mean Twist?"),
        ([*SOME, "--effort", "P.5,10"], "--effort is one measure, and P.5,10 names 2"),
        ([*SOME, "--gain", "ESL(n=1)"], "whose highest value is the best, and ESL"),
        ([*SOME, "--gain", "Twist"], "effort and gain are both Twist: name two different measures"),
    ],
)
def test_what_cannot_be_reported_is_refused(rankscale: Any, tmp_path: Path, arguments: list[str], message: str) -> None:
    output = tmp_path / "report.html"
    outcome = rankscale("report", str(QRELS), *arguments, "-o", str(output))
    assert outcome.code == 2
    assert message in outcome.err
    assert not output.exists()


def test_a_leaderboard_alone_without_folders(rankscale: Any, tmp_path: Path) -> None:
    runs = tmp_path / "secret" / "runs"
    runs.mkdir(parents=True)
    for path in SOME:
        shutil.copy(path, runs)
    qrels = shutil.copy(QRELS, tmp_path / "secret" / "qrels.txt.xz")
    odd = runs / "odd.txt"
    odd.write_text("132 Q0 a 1 1 odd\n999 Q0 a 1 1 bm25\n")  # tags vary, and topics are missing
    output = tmp_path / "secret" / "leaderboard.html"
    asked = ["report", str(qrels), str(runs / "*"), "-m", "AP", "--anonymous-paths", "-o", str(output)]
    for sections in (["--sections", "leaderboard"], ["--sections", "leaderboard", "--sections", "provenance"], []):
        assert rankscale(*asked, *sections).code == 0
        text = output.read_text(encoding="utf-8")
        assert "secret" not in text
        assert "bm25-ce-pair" in text
        shown = re.findall(r'<section id="(\w+)"', text)
        assert shown == sections[1::2] or (not sections and len(shown) > 6)
        assert f"<title>{len(list(runs.iterdir()))} runs, 50 topics</title>" in text
        if sections:
            assert len(text) < 60_000  # no script that draws figures
    plain = rankscale(*asked[:5], "-o", "-")
    assert "secret" not in plain.out, "the page never has folders"
    assert "secret" in plain.err


def test_sections_are_those_of_the_report() -> None:
    assert tuple(report.SECTIONS) == SECTIONS


def test_a_section_that_is_not_there(rankscale: Any) -> None:
    assert "'leaders' is not one of" in rankscale("report", str(QRELS), *SOME, "--sections", "leaders").refused
    with pytest.raises(
        UnknownNameError, match="unknown section 'leaders'; did you mean leaderboard\\? there are summary"
    ):
        report.report(str(QRELS), SOME, "AP", sections="leaders")


@pytest.fixture
def groups(tmp_path: Path) -> str:
    path = tmp_path / "topics.csv"
    rows = (f"{topic},{topic % 5},{'even' if topic % 2 == 0 else 'odd'}\n" for topic in range(101, 151))
    path.write_text("topic,words,kind\n" + "".join(rows))
    return str(path)


def test_a_report_with_groups_of_topics(groups: str, rankscale: Any, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    options = ["report", str(QRELS), *SOME, "-m", "P@10", "--groups", groups, "-o", str(output)]
    assert "several columns could be the group: topic, words, kind" in rankscale(*options).refused
    assert rankscale(*options, "--group-column", "kind").code == 0
    text = output.read_text(encoding="utf-8")
    assert '<h2 id="groups-title">Groups of topics</h2>' in text
    assert "odd (25)" in text
    assert hashlib.sha256(Path(groups).read_bytes()).hexdigest() in text
    with Path(groups).open("a") as file:
        file.write("999,1,elsewhere\n")
    assert rankscale(*options, "--group-column", "kind", "--anonymous-paths").code == 0
    text = output.read_text(encoding="utf-8")
    assert "topics.csv: no topic of the evaluation is in elsewhere" in text
    assert str(tmp_path) not in text
    assert "name a file of them" in rankscale("report", str(QRELS), *SOME, "--sections", "groups").refused
    assert "--group-column names a column" in rankscale("report", str(QRELS), *SOME, "--group-column", "kind").refused


def test_decisions_on_request(rankscale: Any, tmp_path: Path) -> None:
    output, other = tmp_path / "report.html", tmp_path / "secret" / "other.txt"
    other.parent.mkdir()
    with lzma.open(QRELS, "rt") as lines:
        other.write_text("".join(line for number, line in enumerate(lines) if number % 3))
    options = ["report", str(QRELS), *SOME, "-m", "P@10", "-o", str(output)]
    chosen = ["--baseline", "bm25", "--candidate", "bm25-rm3", "--candidate", "bm25-bo1", "--margin", "0.01"]
    more = ["--margin", "2%", "--overlap", "--agree", str(other), "--anonymous-paths"]
    assert rankscale(*options, *chosen, *more).code == 0
    text = output.read_text(encoding="utf-8")
    shown = re.findall(r'<section id="(\w+)"', text)
    assert [one for one in shown if one in {"gate", "diff", "overlap", "judges"}] == [
        "gate",
        "diff",
        "overlap",
        "judges",
    ]
    assert "bm25-rm3 against bm25 by P@10" in text
    assert "bm25-bo1 against bm25 by P@10" in text
    assert "margin 0.01 or 2%" in text
    assert hashlib.sha256(other.read_bytes()).hexdigest() in text
    assert "secret" not in text
    assert rankscale(*options, "--sections", "leaderboard", "--margin", "0.01").code == 0
    refused = rankscale(*options, "--baseline", "bm25", "--candidate", "bm25").refused
    assert "bm25 is the baseline, and cannot be a candidate too" in refused
    assert "name one (margin, --margin 0.01)" in rankscale(*options, "--sections", "gate").refused


def test_runs_from_a_pipe_are_read_twice(tmp_path: Path) -> None:
    output, runs = tmp_path / "report.html", [path for path in SOME if path.endswith(("/bm25.txt.xz", "-rm3.txt.xz"))]
    words = [sys.executable, "-m", "rankscale", "report", str(QRELS), "-", runs[1], "-m", "P@10", "-o", str(output)]
    words += ["--overlap", "--sections", "overlap", "--sections", "diff"]
    with lzma.open(runs[0]) as piped:
        subprocess.run(words, input=piped.read(), check=True, capture_output=True)
    assert "overlap-pairs" in output.read_text(encoding="utf-8")


@pytest.fixture
def values(tmp_path: Path) -> str:
    path = tmp_path / "values.csv"
    path.write_text("topic,bm25,ql\n301,0.5,0.25\n302,1,0.5\n303,0.4,0.3\n304,0.6,0.3\n")
    return str(path)


def test_a_report_of_values(values: str, rankscale: Any, tmp_path: Path) -> None:
    output = tmp_path / "report.html"
    outcome = rankscale("report", "--values", values, "-m", "AP", "--baseline", "ql", "-o", str(output))
    assert outcome.code == 0, outcome.err
    assert "values.csv: read as a table of AP" in outcome.err
    text = output.read_text(encoding="utf-8")
    assert "bm25 is better than ql in mean AP" in text
    assert 'id="effort"' not in text
    assert "rankscale report --values" in text
    with (tmp_path / "values.csv").open("a") as file:
        file.write("305,0.5,\n")
    options = ["report", "--values", values, "-m", "AP", "-o", str(output)]
    assert "--missing common" in rankscale(*options).refused
    assert rankscale(*options, "--missing", "common").code == 0


NEED_RANKINGS = {
    "--robustness": ["--robustness"],
    "--overlap": ["--overlap"],
    "--agree": ["--agree", str(QRELS)],
    "--inspect": ["--inspect", "bm25"],
    "--effort": ["--effort", "Twist"],
    "--gain": ["--gain", "AP"],
    "--rel": ["--rel", "2"],
    "--depth": ["--depth", "5"],
    "--judged-only": ["--judged-only"],
    "--name": ["--name", "a=b.txt"],
}


@pytest.mark.parametrize("flag", NEED_RANKINGS)
def test_options_that_need_rankings_are_refused(flag: str, values: str, rankscale: Any) -> None:
    outcome = rankscale("report", "--values", values, "-m", "AP", *NEED_RANKINGS[flag])
    assert f"{flag} needs rankings, and --values has only what was measured of them" in outcome.refused


def test_what_does_not_go_with_values_or_without(values: str, rankscale: Any) -> None:
    options = ["report", "--values", values, "-m", "AP"]
    assert "the section rankings needs rankings" in rankscale(*options, "--sections", "rankings").refused
    assert "name it: -m AP" in rankscale("report", "--values", values).refused
    assert "--values takes one file of values or more" in rankscale("report", "--values").refused
    assert "Missing argument 'RUN...'" in rankscale("report", str(QRELS)).refused
    assert "--scale is for values" in rankscale("report", str(QRELS), *SOME, "--scale", "ordinal").refused
    assert "--missing is for values" in rankscale("report", str(QRELS), *SOME, "--missing", "common").refused
