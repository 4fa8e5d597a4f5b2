"""Files that are written: the old one or the new one, whole, whatever happens; and nothing left behind."""

import errno
import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rankscale.errors import InputError
from rankscale.outputs.files import PREFIX, replacing, write_chunks


def chunks():
    yield b"new"
    raise OSError(28, "No space left on device")


def test_a_full_disk_leaves_what_a_link_points_to(tmp_path):
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "values.tsv", tmp_path / "link.tsv"
    target.write_text("old")
    link.symlink_to(target)
    with pytest.raises(OSError, match="No space left"):
        write_chunks(str(link), chunks())
    assert target.read_text() == "old"
    assert os.listdir(target.parent) == ["values.tsv"]


def test_a_link_stays_and_what_it_points_to_is_replaced(tmp_path):
    target, link, other = tmp_path / "values.tsv", tmp_path / "a.tsv", tmp_path / "b.tsv"
    target.write_text("old")
    link.symlink_to("b.tsv")
    other.symlink_to(target)
    write_chunks(str(link), [b"new"])
    assert target.read_bytes() == b"new"
    assert link.is_symlink()
    assert other.is_symlink()
    new = tmp_path / "dangling.tsv"
    new.symlink_to(tmp_path / "not-yet.tsv")
    write_chunks(str(new), [b"made"])
    assert (tmp_path / "not-yet.tsv").read_bytes() == b"made"


def test_what_a_process_has_open_is_written_to(tmp_path):
    """`>> file -o /dev/stdout` adds to the file; to replace it would lose what it had."""
    script = "from rankscale.outputs.files import write_chunks; write_chunks('/dev/stdout', [b'more'])"
    with (tmp_path / "out").open("ab") as out:
        out.write(b"some ")
        out.flush()
        subprocess.run([sys.executable, "-c", script], stdout=out, check=True)
    assert (tmp_path / "out").read_bytes() == b"some more"
    with pytest.raises(InputError, match="pipe or device"), replacing("/dev/null"):
        pass


@pytest.mark.skipif(sys.platform != "linux" or os.geteuid() != 0, reason="mounts a small disk")
def test_a_small_disk_through_a_link(tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=100k", "none", disk], check=False, capture_output=True
    ).returncode:
        pytest.skip("no disk can be mounted here")
    try:
        (disk / "values.tsv").write_text("old")
        link = tmp_path / "link.tsv"
        link.symlink_to(disk / "values.tsv")
        with pytest.raises(OSError, match="No space left"):
            write_chunks(str(link), [b"x" * 200_000])
        assert (disk / "values.tsv").read_text() == "old"
        assert os.listdir(disk) == ["values.tsv"]
    finally:
        subprocess.run(["umount", disk], check=True)


def killed_while_writing(folder: Path) -> None:
    script = (
        "import os, signal, sys\nfrom rankscale.outputs.files import replacing\n"
        "with replacing(sys.argv[1]) as out:\n out.write(b'half'); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", script, folder / "values.tsv"], check=False)


def test_what_a_killed_process_left_is_removed_by_the_next(tmp_path):
    killed_while_writing(tmp_path)
    assert [name.startswith(PREFIX) for name in os.listdir(tmp_path)] == [True]
    write_chunks(str(tmp_path / "other.tsv"), [b"new"])
    assert os.listdir(tmp_path) == ["other.tsv"]


def test_what_another_process_is_writing_is_not_removed(tmp_path):
    with replacing(str(tmp_path / "one.tsv")) as first:
        first.write(b"one")
        write_chunks(str(tmp_path / "two.tsv"), [b"two"])
        assert len(os.listdir(tmp_path)) == 2
    assert sorted(os.listdir(tmp_path)) == ["one.tsv", "two.tsv"]
    assert (tmp_path / "one.tsv").read_text() == "one"
    shutil.rmtree(tmp_path)


def test_a_file_is_on_the_disk_before_its_name(tmp_path, monkeypatch):
    """After a power failure the old file is there or the new one, whole: flushed, then renamed, then the folder."""
    done: list[tuple[str, str]] = []
    flush, rename = os.fsync, os.replace

    def fsync(descriptor: int) -> None:
        done.append(("flush", "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"))
        flush(descriptor)

    def replace(old: str, new: str) -> None:
        done.append(("rename", "file"))
        rename(old, new)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(os, "replace", replace)
    target = tmp_path / "values.tsv"
    write_chunks(str(target), [b"old"])
    write_chunks(str(target), [b"new"])
    assert done == [("flush", "file"), ("rename", "file"), ("flush", "folder")] * 2

    def broken(descriptor: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match=r"values\.tsv"):
        write_chunks(str(target), [b"newer"])
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["values.tsv"]
