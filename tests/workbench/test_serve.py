"""`rs.serve` and `rankscale serve`: what they open, say and refuse."""

import re
import signal
import stat
import subprocess
import sys
import urllib.request
import webbrowser
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import rankscale as rs
from rankscale.cli.program import cli
from rankscale.cli.serve import files_in_words, reading_in_words
from rankscale.errors import InputError, ParameterError
from rankscale.inputs.read import RunFile
from rankscale.sample import QRELS
from rankscale.workbench import serve as opening
from rankscale.workbench.serve import open_bench
from rankscale.workbench.state import State
from rankscale.workbench.views import ranking
from tests.workbench.conftest import RUNS


def test_the_command_prints_a_link_that_answers_and_ends_with_ctrl_c() -> None:
    runs = [str(RUNS / name) for name in ("bm25.txt.xz", "ql.txt.xz")]
    command = [sys.executable, "-m", "rankscale", "serve", str(QRELS), *runs, "-m", "AP", "--title", "two runs"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        match = re.fullmatch(r"workbench of two runs: (http://127\.0\.0\.1:\d+/\?token=\S{32})\n", line)
        assert match
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with opener.open(match[1], timeout=120) as page:
            text = page.read().decode()
        assert '<strong id="collection">two runs</strong>' in text
        assert "rankscale evaluate" in text
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=120)
    assert "Traceback" not in errors
    assert process.returncode in {0, 130}


def test_the_token_is_read_from_a_file_or_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Arguments of a program can be seen by all users of a machine."""
    given: list[Any] = []
    monkeypatch.setattr(opening, "serve", lambda *_, **options: given.append(options["token"]))
    for name, text in (("q", "1 0 a 1\n"), ("r", "1 Q0 a 1 1 x\n"), ("secret", "a-long-and-secret-text\n")):
        (tmp_path / name).write_text(text)
    words = ["serve", str(tmp_path / "q"), str(tmp_path / "r")]
    for more, typed in (
        ([], None),
        (["--token-file", str(tmp_path / "secret")], None),
        (["--token-file", "-"], "x" * 20),
    ):
        assert CliRunner().invoke(cli, [*words, *more], input=typed).exit_code == 0
    assert given == [None, "a-long-and-secret-text", "x" * 20]
    refused = CliRunner().invoke(cli, [*words, "--token", "a-long-and-secret-text"])
    assert (refused.exit_code, len(given)) == (2, 3)
    assert "--token-file" in refused.stderr


def test_opening_a_browser_names_a_file_of_this_user_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[Path] = []

    def browse(address: str) -> None:
        page = Path(address.removeprefix("file://"))
        opened.append(page)
        assert "0123456789" not in address
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
        assert 'url=http://127.0.0.1:1/?token=0123456789"' in page.read_text()

    monkeypatch.setattr(webbrowser, "open", browse)
    monkeypatch.setattr(opening, "TIME_TO_OPEN", 0)
    opening._open_page("http://127.0.0.1:1/?token=0123456789")
    assert len(opened) == 1
    assert not opened[0].parent.exists()


def test_a_link_that_is_followed_from_a_file_opens_the_workbench(
    browser: Any, tmp_path: Path, serving: rs.Serving
) -> None:
    """As `--open` does it, and as links in notebooks are followed; the token is taken out of the address."""
    (tmp_path / "open.html").write_text(f'<meta http-equiv="refresh" content="0;url={serving.url}">')
    context = browser.new_context()
    page = context.new_page()
    page.goto((tmp_path / "open.html").as_uri())
    page.wait_for_selector("#collection")
    assert page.url == f"http://127.0.0.1:{serving.port}/"
    context.close()


def test_runs_of_one_file_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "runs.csv").write_text("run,qid,docid,score\nx,1,a,2\nx,1,b,1\ny,1,b,2\ny,1,a,1\n")
    bench = open_bench({"1": {"a": 1, "b": 0}}, str(tmp_path / "runs.csv"), "P@1")
    assert bench.names == ("x", "y")
    assert bench.ranking("x", "1").documents == ("a", "b")
    assert bench.ranking("y", "1").documents == ("b", "a")


def test_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    for name, first in (("one", "a"), ("two", "b")):
        (tmp_path / f"{name}.txt").write_text(f"1 Q0 {first} 1 2 tag\n1 Q0 c 2 1 tag\n")
    bench = open_bench({"1": {"a": 1}}, [str(tmp_path / "one.txt"), str(tmp_path / "two.txt")], "P@1")
    assert [bench.ranking(name, "1").documents[0] for name in bench.names] == ["a", "b"]
    assert bench.names == ("one.txt", "two.txt")


def test_a_higher_grade_what_if_leaves_what_other_grades_are_worth() -> None:
    """The highest grade is 3 before and after: ERR of a 1 at rank 1 is 1/8, and a 3 at rank 2 adds 7/8 * 7/8 / 2."""
    bench = open_bench({"1": {"a": 1, "b": 0}}, {"x": {"1": {"a": 2, "b": 1}}, "y": {"1": {"b": 1}}}, "ERR")
    shown: Any = ranking.data(bench, State(m="ERR", a="x", b="y", topic="1", judge=(("b", 3.0),)))
    place = shown["measures"].index("ERR")
    assert [shown[name]["a"][place] for name in ("values", "changed_values")] == [1 / 8, 1 / 8 + 49 / 128]


def test_documents_of_runs_that_were_read_before() -> None:
    qrels = rs.read_qrels({"1": {"a": 1}})
    with_documents = rs.read_runs(qrels, {"x": {"1": {"a": 2, "b": 1}}}, keep_documents=True)
    assert open_bench(qrels, with_documents, "P@1").ranking("x", "1").documents == ("a", "b")
    without = open_bench(qrels, rs.read_runs(qrels, {"x": {"1": {"a": 2}}}), "P@1")
    with pytest.raises(InputError, match="read it again with keep_documents=True"):
        without.ranking("x", "1")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"port": 70000}, "port must lie between 0 and 65535"),
        ({"measures": []}, "no measure is requested"),
        ({"measures": "nDGC"}, "did you mean nDCG"),
        ({"grades": 3}, "grades"),
    ],
)
def test_mistakes_are_refused_in_words(options: dict[str, Any], words: str) -> None:
    with pytest.raises((ParameterError, InputError), match=words):
        rs.serve({"1": {"a": 1}}, {"x": {"1": {"a": 1}}}, block=False, **options)


def test_a_port_that_is_taken_is_named() -> None:
    qrels, runs = {"1": {"a": 1}}, {"x": {"1": {"a": 1}}}
    with rs.serve(qrels, runs, "P@1", block=False) as first, pytest.raises(InputError, match="choose another port"):
        rs.serve(qrels, runs, "P@1", port=first.port, block=False)


def test_how_notebooks_show_it() -> None:
    with rs.serve({"1": {"a": 1}}, {"x": {"1": {"a": 1}}}, "P@1", title="<b>", block=False) as opened:
        assert "&lt;b&gt;" in opened._repr_html_()
        assert opened.url in opened._repr_html_()
        assert repr(opened).startswith("<Workbench: <b>, http://127.0.0.1:")


def test_files_in_the_commands_shown(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"run {number}").write_text("")
    paths = [str(tmp_path / f"run {number}") for number in range(6)]
    assert files_in_words("my qrels", paths) == ["'my qrels'", f"{tmp_path}/*"]
    assert files_in_words("q", paths[:2]) == ["q", f"'{paths[0]}'", f"'{paths[1]}'"]
    assert files_in_words("q", paths[:5])[1:] == [f"'{path}'" for path in paths[:5]]
    assert files_in_words("q", [("name", "a b"), RunFile("c")]) == ["q", "'a b'", "c"]


def test_options_in_the_commands_shown() -> None:
    words = [
        "q",
        "r",
        "-m",
        "AP",
        "-mP@5",
        "--measure=RR",
        "--open",
        "--token-file",
        "secret.txt",
        "--port=80",
        "--grades",
        "2=1",
    ]
    assert list(reading_in_words([*words, "--order=file", "--title", "x y"])) == ["--grades", "2=1", "--order=file"]


def test_a_run_without_a_topic_of_the_qrels_is_refused_before_anything_is_served() -> None:
    with pytest.raises(rs.errors.InputError, match="have no topic in common; the qrels have 1"):
        rs.serve({"1": {"a": 1}}, {"other": {"2": {"a": 1.0}}}, block=False)
