"""Named pipes and process substitution, `<(command)`: read once, whatever is in them, and nothing waits for more."""

import os
import subprocess
import sysconfig
import threading
from pathlib import Path

import pytest

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "rankscale")
RUN = "".join(f"{topic} Q0 {name} {rank} {9 - rank} x\n" for topic in "12" for rank, name in enumerate("abc", 1))
QRELS = "1 0 a 1\n1 0 b 0\n2 0 b 1\n"
BAD = "1 Q0 a 1 2.0 x\n1 Q0\n"
COMMANDS = {
    "evaluate": (("evaluate", "QRELS", "PIPE", "-m", "AP"), RUN),
    "evaluate, bad": (("evaluate", "QRELS", "PIPE", "-m", "AP"), BAD),
    "evaluate, qrels": (("evaluate", "QRELS", "PIPE", "-m", "AP"), QRELS),
    "evaluate, runs that are left out": (("evaluate", "QRELS", "PIPE", "-m", "AP", "--skip-bad"), RUN),
    "evaluate, a run as qrels": (("evaluate", "PIPE", "RUN", "-m", "AP"), RUN),
    "check": (("check", "PIPE", "--qrels", "QRELS"), RUN),
    "check, bad": (("check", "PIPE"), BAD),
    "convert": (("convert", "PIPE", "-", "--to", "tsv"), RUN),
}


def ended(folder: Path, words: tuple[str, ...], place: str) -> tuple[int, str, str]:
    files = {"QRELS": "qrels.txt", "RUN": "run.txt", "PIPE": place}
    done = subprocess.run(
        [SCRIPT, *(files.get(word, word) for word in words)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("case", COMMANDS)
def test_a_pipe_is_read_as_a_file_is(case: str, tmp_path: Path) -> None:
    words, content = COMMANDS[case]
    for name, text in (("qrels.txt", QRELS), ("run.txt", RUN)):
        (tmp_path / name).write_text(text)
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "x").write_text(content)
    expected = ended(tmp_path, words, "files/x")
    (tmp_path / "files" / "x").unlink()
    os.mkfifo(tmp_path / "files" / "x")
    threading.Thread(target=(tmp_path / "files" / "x").write_text, args=[content], daemon=True).start()
    code, out, err = ended(tmp_path, words, "files/x")
    assert (code, out) == expected[:2]
    assert expected[2].startswith(err)  # whether a bad file is one of another kind is not looked at


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="process substitution is bash's")
def test_check_reads_what_a_command_prints(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_text(RUN)
    done = subprocess.run(
        ["/bin/bash", "-c", f"{SCRIPT} check <(cat run.txt)"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=30,
    )
    assert "6" in done.stdout.split()  # documents
    assert "no line at all" not in done.stdout + done.stderr
    assert (done.returncode, "all is well" in done.stdout) == (0, True), "the name of a pipe is the shell's"
