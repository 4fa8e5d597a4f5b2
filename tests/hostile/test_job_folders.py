"""Folders of --resume that somebody tampered with: refused in words or computed again; nothing hangs or leaves it."""

import json
import os
import subprocess
import sysconfig
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path

import pytest

from rankscale.errors import InputError, MemoryLimitError
from rankscale.executors import Inline
from rankscale.executors.checkpoints import Checkpointed
from rankscale.executors.storage import encoded

SCRIPT = str(Path(sysconfig.get_path("scripts")) / "rankscale")
NO_FILE = "expected a file, found a link, a pipe or something else; give another folder"


def results(job: Path, items: tuple[int, ...] = (-1, 2)) -> list[int]:
    return list(Checkpointed(Inline(), job).map(abs, items))


@pytest.fixture
def job(tmp_path: Path) -> Path:
    """The folder of a job that is done."""
    assert results(tmp_path / "job") == [1, 2]
    return tmp_path / "job"


def replaced(path: Path, make: Callable[[Path], object]) -> None:
    path.unlink(missing_ok=True)
    make(path)


@pytest.mark.parametrize("name", ["job.json", "lock", "0/000000.result"])
@pytest.mark.parametrize("kind", ["pipe", "endless", "link", "link to nothing", "folder"])
def test_only_files_are_opened(kind: str, name: str, job: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").write_bytes((job / name).read_bytes())
    made: dict[str, Callable[[Path], object]] = {
        "pipe": os.mkfifo,
        "endless": lambda path: path.symlink_to("/dev/zero"),
        "link": lambda path: path.symlink_to(tmp_path / "outside"),
        "link to nothing": lambda path: path.symlink_to(tmp_path / "nothing"),
        "folder": Path.mkdir,
    }
    replaced(job / name, made[kind])
    with pytest.raises((InputError, IsADirectoryError), match=f"{NO_FILE}|Is a directory"):
        results(job)
    assert not (tmp_path / "nothing").exists()


def test_results_are_not_written_through_a_linked_folder(job: Path, tmp_path: Path) -> None:
    os.rename(job / "0", tmp_path / "outside")
    (tmp_path / "outside" / "000001.result").unlink()
    (job / "0").symlink_to(tmp_path / "outside", target_is_directory=True)
    with pytest.raises(InputError, match="expected a folder of results, found a link"):
        results(job)
    assert len(list((tmp_path / "outside").iterdir())) == 1


def test_a_result_larger_than_memory_is_refused(job: Path) -> None:
    os.truncate(job / "0" / "000000.result", 1 << 42)
    with pytest.raises(MemoryLimitError, match="give another folder"):
        results(job)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 50_000, "\udc80"])
def test_a_description_that_is_none_is_refused(content: str, job: Path) -> None:
    (job / "job.json").write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="expected the description of a job"):
        results(job)


def forge(path: Path, result: object) -> None:
    """Another result, with its checksum."""
    item, _ = path.read_bytes().split(b"\n", 1)[0].split()
    body = encoded(result) if not isinstance(result, bytes) else result
    path.write_bytes(item + f" {blake2b(body, digest_size=16).hexdigest()}\n".encode() + body)


def tree(document: object) -> bytes:
    text = json.dumps(document).encode()
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    "body",
    [
        tree({"array": ["<f8", [1 << 62, 0], False, False]}),
        tree({"array": ["<U2000000000", [0], False, False]}),
        tree({"array": ["<f8", [1] * 100, False, False]}),
        tree({"array": ["V8", ["a"], False, False]}),
        tree({"dict": [[{"list": []}, 1]]}),
        tree({"integers": [[1e400], ["1"]]}),
        tree({"made": ["rankscale.data.notices", "Notice", {"kind": {"list": []}, "fields": 5}]}),
        tree({"made": ["rankscale.executors.processes", "Processes", {"count": -1}]}),
    ],
    ids=str,
)
def test_bytes_that_are_no_result_are_computed_again_or_taken_as_data(body: bytes, job: Path) -> None:
    import rankscale.executors.processes  # noqa: F401  # so that its class could be made

    forge(job / "0" / "000000.result", body)
    Checkpointed(Inline(), job)
    results(job)  # no other error


def test_results_of_another_kind_end_the_command_with_2(tmp_path: Path) -> None:
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n")
    (tmp_path / "run.txt").write_text("1 Q0 a 1 1.0 x\n")
    words = [SCRIPT, "evaluate", "qrels.txt", "run.txt", "-m", "AP", "--resume", "job"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, timeout=60)
    assert done.returncode == 0
    for result in (5, [5], {"a": 1}, None):
        forge(tmp_path / "job" / "0" / "000000.result", result)
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"rankscale: job: a stored result is not one of this job (")
        assert b"Traceback" not in done.stderr


def test_a_folder_that_is_a_link_itself_is_the_users_choice(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "job").symlink_to(tmp_path / "real", target_is_directory=True)
    assert results(tmp_path / "job") == [1, 2]
    executor = Checkpointed(Inline(), tmp_path / "job")
    assert list(executor.map(abs, [-1, 2])) == [1, 2]
    assert executor.reused == 2
