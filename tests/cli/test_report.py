"""`rankscale report`: the file, what is said, and what is refused."""

import re
import shutil
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
    for words in ("Conclusions", "Leaderboard", "Provenance", "SHA-256", "bm25-ce-pair"):
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
        assert ("<title>8 runs on qrels.txt.xz</title>" in text) == (len(list(runs.iterdir())) == 8)
        if sections:
            assert len(text) < 60_000  # no script that draws figures
    assert "secret" in rankscale(*asked[:5], "-o", "-").out


def test_sections_are_those_of_the_report() -> None:
    assert tuple(report.SECTIONS) == SECTIONS


def test_a_section_that_is_not_there(rankscale: Any) -> None:
    assert "'leaders' is not one of" in rankscale("report", str(QRELS), *SOME, "--sections", "leaders").refused
    with pytest.raises(
        UnknownNameError, match="unknown section 'leaders'; did you mean leaderboard\\? there are summary"
    ):
        report.report(str(QRELS), SOME, "AP", sections="leaders")
