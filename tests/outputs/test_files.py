"""Files are whole or not there."""

import os
import stat
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from rankscale.errors import InputError
from rankscale.evaluation.evaluate import evaluate
from rankscale.evaluation.result import Evaluation
from rankscale.outputs.files import replacing, write_chunks


@pytest.fixture
def found() -> Evaluation:
    return evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "AP")


@pytest.fixture(params=[0o022, 0o077, 0o002], ids=oct)
def umask(request: pytest.FixtureRequest) -> Iterator[int]:
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def failing() -> Iterator[bytes]:
    yield b"half"
    raise RuntimeError("in the middle")


def interrupted() -> Iterator[bytes]:
    yield b"half"
    raise KeyboardInterrupt


def test_chunks_are_written_one_after_the_other(tmp_path: Path) -> None:
    write_chunks(str(tmp_path / "out"), [b"one", b"", b"two"])
    assert (tmp_path / "out").read_bytes() == b"onetwo"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(("chunks", "error"), [(failing, RuntimeError), (interrupted, KeyboardInterrupt)])
def test_a_writer_that_fails_leaves_nothing(
    tmp_path: Path, chunks: Callable[[], Iterator[bytes]], error: type[BaseException]
) -> None:
    with pytest.raises(error):
        write_chunks(str(tmp_path / "out"), chunks())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("chunks", "error"), [(failing, RuntimeError), (interrupted, KeyboardInterrupt)])
def test_a_writer_that_fails_leaves_what_was_there(
    tmp_path: Path, chunks: Callable[[], Iterator[bytes]], error: type[BaseException]
) -> None:
    (tmp_path / "out").write_text("before")
    with pytest.raises(error):
        write_chunks(str(tmp_path / "out"), chunks())
    assert (tmp_path / "out").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_what_was_there_is_read_until_the_new_file_is_whole(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("before")

    def looking() -> Iterator[bytes]:
        yield b"new"
        assert (tmp_path / "out").read_text() == "before"

    write_chunks(str(tmp_path / "out"), looking())
    assert (tmp_path / "out").read_text() == "new"


def test_a_new_file_has_the_rights_that_any_new_file_has(tmp_path: Path, umask: int, found: Evaluation) -> None:
    (tmp_path / "plain").touch()
    write_chunks(str(tmp_path / "out"), [b"x"])
    found.write(tmp_path / "values.parquet")
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes["out"] == modes["values.parquet"] == modes["plain"] == 0o666 & ~umask


def test_a_file_that_was_private_stays_private(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.touch(mode=0o600)
    out.chmod(0o600)
    write_chunks(str(out), [b"x"])
    assert stat.S_IMODE(out.stat().st_mode) == 0o600


def test_the_mask_is_left_as_it_was(tmp_path: Path, umask: int) -> None:
    write_chunks(str(tmp_path / "out"), [b"x"])
    now = os.umask(umask)
    assert now == umask


def writers(found: Evaluation, path: Path) -> list[Callable[[], None]]:
    """Both ways to write a file."""
    return [partial(write_chunks, str(path), [b"x"]), partial(found.write, path, "parquet")]


def test_a_folder_that_is_missing_is_named(tmp_path: Path, found: Evaluation) -> None:
    path = tmp_path / "no" / "out.tsv"
    message = f"{path}: there is no folder {path.parent}; make it first"
    for attempt in writers(found, path):
        with pytest.raises(InputError) as caught:
            attempt()
        assert str(caught.value) == message


def test_a_folder_in_place_of_a_file_is_refused(tmp_path: Path, found: Evaluation) -> None:
    for attempt in writers(found, tmp_path):
        with pytest.raises(InputError, match="this is a folder; name a file in it"):
            attempt()
    assert list(tmp_path.iterdir()) == []


def test_a_path_in_the_working_folder_needs_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_chunks("out", [b"x"])
    assert (tmp_path / "out").read_bytes() == b"x"


def test_a_name_as_long_as_the_file_system_takes(tmp_path: Path) -> None:
    out = tmp_path / ("n" * 251 + ".tsv")
    write_chunks(str(out), [b"x"])
    assert out.read_bytes() == b"x"


def test_a_link_stays_a_link_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "kept").write_text("before")
    (tmp_path / "link").symlink_to(tmp_path / "kept")
    write_chunks(str(tmp_path / "link"), [b"new"])
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "kept").read_text() == "new"


def read_in_background(path: Path) -> tuple[threading.Thread, list[bytes]]:
    read: list[bytes] = []
    thread = threading.Thread(target=lambda: read.append(path.read_bytes()), daemon=True)
    thread.start()
    return thread, read


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    thread, read = read_in_background(pipe)
    write_chunks(str(pipe), [b"one", b"two"])
    thread.join(timeout=60)
    assert read == [b"onetwo"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_parquet_never_takes_the_place_of_a_pipe_or_device(tmp_path: Path, found: Evaluation) -> None:
    """With `-o /dev/stdout`, as root, it would replace the device of the whole machine."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that a writer need not wait
    try:
        found.write(pipe)
    except InputError:
        pass
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_replacing_gives_a_file_in_the_same_folder(tmp_path: Path) -> None:
    with replacing(str(tmp_path / "out")) as temporary:
        assert len(list(tmp_path.iterdir())) == 1
        assert not (tmp_path / "out").exists()
        temporary.write(b"x")
    assert (tmp_path / "out").read_text() == "x"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_standard_output_that_is_a_file_is_written_through_its_link(tmp_path: Path) -> None:
    """As `-o /dev/stdout > kept`: /dev/stdout is a link to /proc/self/fd/1, and must not be replaced by a file."""
    with (tmp_path / "kept").open("wb") as kept:
        link = tmp_path / "stdout"
        link.symlink_to(f"/proc/self/fd/{kept.fileno()}")
        write_chunks(str(link), [b"one", b"two"])
        assert link.is_symlink()
    assert (tmp_path / "kept").read_bytes() == b"onetwo"


def test_what_a_killed_process_left_is_no_obstacle(tmp_path: Path) -> None:
    """In a container the same number is given to process after process."""
    (tmp_path / f".out.{os.getpid()}").write_text("half")
    write_chunks(str(tmp_path / "out"), [b"x"])
    assert (tmp_path / "out").read_bytes() == b"x"


def test_two_threads_may_write_one_file(tmp_path: Path) -> None:
    failed: list[BaseException] = []
    started = threading.Barrier(2)

    def slowly(text: bytes) -> Iterator[bytes]:
        yield text
        started.wait(timeout=60)
        yield text

    def write(text: bytes) -> None:
        try:
            write_chunks(str(tmp_path / "out"), slowly(text))
        except (OSError, threading.BrokenBarrierError) as error:
            started.abort()
            failed.append(error)

    threads = [threading.Thread(target=write, args=(text,)) for text in (b"a", b"b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert (tmp_path / "out").read_bytes() in {b"aa", b"bb"}
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_parquet_follows_no_link_that_another_user_laid(tmp_path: Path, found: Evaluation) -> None:
    """In a folder that all may write to, a name that can be guessed lets others choose which file is overwritten."""
    (tmp_path / "precious").write_text("precious")
    (tmp_path / f".values.parquet.{os.getpid()}").symlink_to(tmp_path / "precious")
    found.write(tmp_path / "values.parquet")
    assert (tmp_path / "precious").read_text() == "precious"
