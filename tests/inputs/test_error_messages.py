"""Every message says where, what was expected, what was found, and what to do. The texts are kept here as they are."""

import subprocess
import sys

import pytest

from rankscale.errors import DuplicateError, FormatError
from rankscale.inputs import trec
from tests.fuzz.packing import PACK
from tests.inputs.example import qrels_text, run_text

RUN = b"301 Q0 FT1 1 2.5 bm25\n301 Q0 FT2 2 1.5 bm25\n"
QRELS = b"301 0 FT1 1\n301 0 FT2 0\n"

RUN_ERRORS = {
    "too few columns": (
        RUN + b"301 Q0 FT3 17 bm25\n",
        "run.txt, line 3: expected: topic Q0 document rank score tag, found 5 columns\n    301 Q0 FT3 17 bm25",
    ),
    "one column": (
        RUN + b"\n301\n",
        "run.txt, line 4: expected: topic Q0 document rank score tag, found 1 column\n    301",
    ),
    "a score that is no number": (
        RUN + b"301 Q0 FT3 3 high bm25\n",
        (
            "run.txt, line 3, column 14: expected a number as score, found high\n"
            "    301 Q0 FT3 3 high bm25\n"
            "expected: topic Q0 document rank score tag"
        ),
    ),
    "a score with a decimal comma": (
        RUN + b"301\tQ0\tFT3\t3\t1,5\tbm25\n",
        (
            "run.txt, line 3, column 14: expected a number as score, found 1,5\n"
            "    301\tQ0\tFT3\t3\t1,5\tbm25\n"
            "expected: topic Q0 document rank score tag"
        ),
    ),
    "a score that is not a number by name": (
        b"# made by hand\n" + RUN + b"301 Q0 FT3 3 NaN bm25\n",
        (
            "run.txt, line 4, column 14: expected a number as score, found NaN\n"
            "    301 Q0 FT3 3 NaN bm25\n"
            "expected: topic Q0 document rank score tag"
        ),
    ),
    "a document twice": (
        RUN + b"301 Q0 FT1 3 0.5 bm25\n",
        (
            "run.txt, line 3: document FT1 stands a second time in topic 301 (first in line 1)\n"
            "a ranking holds each document once: keep the better one, or read with duplicates='best'"
        ),
    ),
    "a document twice, far apart": (
        RUN + b"302 Q0 FT1 1 1 bm25\n301 Q0 FT2 3 0.5 bm25\n",
        (
            "run.txt, line 4: document FT2 stands a second time in topic 301 (first in line 2)\n"
            "a ranking holds each document once: keep the better one, or read with duplicates='best'"
        ),
    ),
    "a document twice in a topic that nobody judged": (
        RUN + b"999 Q0 FT1 1 1 bm25\n999 Q0 FT1 3 0.5 bm25\n",
        (
            "run.txt, line 4: document FT1 stands a second time in topic 999 (first in line 3)\n"
            "a ranking holds each document once: keep the better one, or read with duplicates='best'"
        ),
    ),
    "a NUL byte": (
        RUN + b"301 Q0 FT\x003 3 0.5 bm25\n",
        (
            "run.txt, line 3, column 10: expected text, found a NUL byte\n"
            "    301 Q0 FT\\u{0}3 3 0.5 bm25\n"
            "is this a binary file, or text in UTF-16?"
        ),
    ),
    "text in UTF-16": (
        RUN.decode().encode("utf-16"),
        "run.txt: expected plain text, found UTF-16\nsave the file as UTF-8 and try again",
    ),
    "nothing": (b"", "run.txt: expected: topic Q0 document rank score tag, found no line at all"),
    "comments only": (b"# nothing\n\n", "run.txt: expected: topic Q0 document rank score tag, found no line at all"),
    "a long line": (
        b"x" * 200 + b"\n",
        f"run.txt, line 1: expected: topic Q0 document rank score tag, found 1 column\n    {'x' * 160} ...",
    ),
    "control characters": (
        b"\x1b[31m red\x07 \x7f\n",
        (
            "run.txt, line 1: expected: topic Q0 document rank score tag, found 3 columns\n"
            "    \\u{1b}[31m red\\u{7} \\u{7f}"
        ),
    ),
}

QRELS_ERRORS = {
    "too few columns": (
        QRELS + b"301 0 FT3\n",
        "qrels.txt, line 3: expected: topic iteration document grade, found 3 columns\n    301 0 FT3",
    ),
    "too many columns": (
        QRELS + b"301 0 FT3 1 2\n",
        (
            "qrels.txt, line 3: expected: topic iteration document grade, found 5 columns\n    301 0 FT3 1 2\n"
            "if these are preferences (topic assessor list document level): form='prefs'"
        ),
    ),
    "a grade that is no number": (
        QRELS + b"301 0 FT3 yes\n",
        (
            "qrels.txt, line 3, column 11: expected a finite number as grade, found yes\n"
            "    301 0 FT3 yes\n"
            "expected: topic iteration document grade"
        ),
    ),
    "a grade without end": (
        QRELS + b"301 0 FT3 1e400\n",
        (
            "qrels.txt, line 3, column 11: expected a finite number as grade, found 1e400\n"
            "    301 0 FT3 1e400\n"
            "expected: topic iteration document grade"
        ),
    ),
    "a document judged twice": (
        QRELS + b"302 0 FT1 1\n301 0 FT1 1\n",
        (
            "qrels.txt, line 4, column 7: document FT1 is judged twice for topic 301\n"
            "    301 0 FT1 1\n"
            "keep one judgment of each document, or merge them: merge='max'"
        ),
    ),
    "a NUL byte": (
        QRELS + b"301 0 FT3 1\0\n",
        (
            "qrels.txt, line 3, column 12: expected text, found a NUL byte\n"
            "    301 0 FT3 1\\u{0}\n"
            "is this a binary file, or text in UTF-16?"
        ),
    ),
    "nothing": (b"", "qrels.txt: expected: topic iteration document grade, found no judgment at all"),
}


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "words"), RUN_ERRORS.values(), ids=RUN_ERRORS)
def test_a_run(tmp_path, qrels, text, words):
    (tmp_path / "run.txt").write_bytes(text)
    with pytest.raises(FormatError) as error:
        trec.read_run(qrels, "run.txt")
    assert str(error.value) == words
    assert isinstance(error.value, DuplicateError) == ("second time" in words)


@pytest.mark.parametrize(("text", "words"), QRELS_ERRORS.values(), ids=QRELS_ERRORS)
def test_qrels(tmp_path, text, words):
    (tmp_path / "qrels.txt").write_bytes(text)
    with pytest.raises(FormatError) as error:
        trec.read_qrels("qrels.txt")
    assert str(error.value) == words
    assert isinstance(error.value, DuplicateError) == ("twice" in words)


def test_a_rank_that_is_no_number_matters_only_where_ranks_do(tmp_path, qrels):
    (tmp_path / "run.txt").write_bytes(RUN + b"301 Q0 FT3 third 0.5 bm25\n")
    assert trec.read_run(qrels, "run.txt").length.tolist() == [3]
    with pytest.raises(FormatError) as error:
        trec.read_run(qrels, "run.txt", order="rank")
    assert str(error.value) == (
        "run.txt, line 3, column 12: expected a number as rank, found third\n"
        "    301 Q0 FT3 third 0.5 bm25\n"
        "expected: topic Q0 document rank score tag"
    )


@pytest.mark.parametrize(
    ("packing", "kind", "found"),
    [
        ("gz", "gzip", "unexpected end of file"),
        ("bz2", "bzip2", "decompression not finished but EOF reached"),
        ("xz", "xz", "premature eof"),
        ("zst", "zstd", "incomplete frame"),
    ],
)
def test_an_archive_that_breaks_off(tmp_path, qrels, packing, kind, found):
    whole = PACK[packing](RUN)
    (tmp_path / "run.txt").write_bytes(whole[:-2])
    with pytest.raises(FormatError) as error:
        trec.read_run(qrels, "run.txt")
    first, last = str(error.value).split("\n")
    words = f"run.txt: expected {kind} data from its first bytes on, and it breaks off or is damaged after "
    assert first.startswith(words)
    assert first.endswith(f" bytes of text ({found})")
    assert last == "fetch or pack the file again"


def test_a_file_that_is_not_there(qrels):
    with pytest.raises(FileNotFoundError) as error:
        trec.read_run(qrels, "run.txt")
    assert str(error.value) == "run.txt: there is no such file"
    with pytest.raises(FileNotFoundError) as error:
        trec.read_qrels("qrels.txt")
    assert str(error.value) == "qrels.txt: there is no such file"


def test_a_folder(tmp_path, qrels):
    (tmp_path / "runs").mkdir()
    for read in (lambda: trec.read_run(qrels, "runs"), lambda: trec.read_qrels("runs")):
        with pytest.raises(IsADirectoryError) as error:
            read()
        assert str(error.value) == "runs: this is a folder, not a file"


def test_a_pattern_that_matches_nothing(qrels):
    from rankscale import read_runs

    with pytest.raises(FileNotFoundError) as error:
        read_runs(qrels, "runs/*.gz")
    assert str(error.value) == "runs/*.gz: no file matches"


def test_an_order_that_is_none(qrels):
    with pytest.raises(ValueError) as error:
        trec.read_run(qrels, RUN, order="name")
    assert str(error.value) == "order must be score, score64, rank or file, got 'name'"


def test_the_first_file_that_is_wrong_is_the_one_told(tmp_path, qrels):
    for name in ("a", "b", "c"):
        (tmp_path / name).write_bytes(RUN if name == "a" else b"wrong\n")
    with pytest.raises(FormatError, match=r"^b, line 1: expected: topic Q0"):
        list(trec.read_runs(qrels, ["a", "b", "c"], threads=3))


def test_the_command_line_says_the_same_and_ends_with_2(tmp_path):
    (tmp_path / "qrels.txt").write_bytes(qrels_text())
    (tmp_path / "run.gz").write_bytes(PACK["gz"](run_text() + b"\n" * 20_000))

    def evaluate(*options: str) -> tuple[int, str, str]:
        command = [
            sys.executable,
            "-c",
            "from rankscale.cli import main; main()",
            "evaluate",
            "qrels.txt",
            "run.gz",
            "-m",
            "AP",
            *options,
        ]
        done = subprocess.run(command, capture_output=True, check=False, cwd=tmp_path, text=True)
        return done.returncode, done.stdout, done.stderr

    words = (
        "rankscale: run.gz: holds more than the 10240 bytes allowed of text; "
        "if this is meant, allow more with --max-size\n"
    )
    assert evaluate("--max-size", "10k") == (2, "", words)
    code, out, _ = evaluate("--max-size", "1M")
    assert code == 0
    assert "bm25" in out
