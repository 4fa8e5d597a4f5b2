"""Large bzip2 and xz files, which another thread or several unpack: nobody can tell."""

import bz2
import lzma
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import rankscale as rs
from rankscale.data.qrels import Qrels
from rankscale.inputs.options import Reading
from rankscale.inputs.rankings import rankings_of

TOPICS, DEPTH = 60, 1_000
WORTH_SHARING = 512 << 10  # packed bytes
PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "bz2": lambda text: bz2.compress(text, 9),
    "bz2 in streams": lambda text: (
        bz2.compress(text[:1_000_000], 1) + bz2.compress(b"") + bz2.compress(text[1_000_000:])
    ),
    "xz in streams": lambda text: b"".join(
        lzma.compress(text[start : start + 700_000], preset=0) + bytes(8) for start in range(0, len(text), 700_000)
    ),
    "xz in blocks": lambda text: (
        subprocess.run(
            [shutil.which("xz") or "xz", "-0", "-T2", "--block-size=600000", "-c"],
            input=text,
            capture_output=True,
            check=True,
        ).stdout
    ),
}


@pytest.fixture(scope="module")
def text() -> bytes:
    """A run whose names do not pack well."""
    rng = random.Random(20)
    return b"".join(
        b"%d Q0 doc-%016x %d %d tag\n" % (topic, rng.getrandbits(64), rank, -rank)
        for topic in range(TOPICS)
        for rank in range(DEPTH)
    )


@pytest.fixture(scope="module")
def qrels(text: bytes) -> Qrels:
    rows = [line.split() for line in text.decode().splitlines()[::37]]
    grades: dict[str, dict[str, int]] = {}
    for number, (topic, _, document, *_) in enumerate(rows):
        grades.setdefault(topic, {})[document] = number % 3
    return rs.read_qrels(grades)


@pytest.fixture(params=PACKINGS)
def packed(request: pytest.FixtureRequest, text: bytes, tmp_path: Path) -> Path:
    path = tmp_path / "run.packed"
    path.write_bytes(PACKINGS[request.param](text))
    assert path.stat().st_size > WORTH_SHARING
    return path


def test_threads_do_not_show(packed, text, qrels):
    plain = rs.read_run(qrels, text)
    for threads in (1, 2, 3):
        (run,) = rs.read_runs(qrels, [packed], threads=threads)
        assert run.rank.tolist() == plain.rank.tolist()
        assert run.document.tolist() == plain.document.tolist()


def test_rankings_are_listed(packed, text):
    one, other = (list(rankings_of(source, Reading()).each()) for source in (packed, text))
    assert len(one) == TOPICS
    assert one == other


# A checksum tells behind the text of a block that it was changed, and the text may be none of a run.
WORDS = dict.fromkeys(["cut off", "more behind it"], "it breaks off or is damaged after [0-9]+ bytes of text")
WORDS["changed"] = "is damaged after|expected: topic Q0 document rank score tag"


@pytest.mark.parametrize("damage", WORDS)
def test_damaged_files_are_refused(packed, qrels, damage):
    content = bytearray(packed.read_bytes())
    if damage == "cut off":
        del content[-200_000:]
    elif damage == "changed":
        content[len(content) // 2] ^= 4
    else:
        content += b"more"
    packed.write_bytes(content)
    for threads in (1, 2):
        with pytest.raises(rs.errors.FormatError, match=WORDS[damage]):
            rs.read_runs(qrels, [packed], threads=threads)


@pytest.mark.parametrize(
    ("pack", "size"), [(bz2.compress, 100 << 20), (partial(lzma.compress, preset=0), 100 << 20)], ids=["bz2", "xz"]
)
def test_a_file_that_unpacks_to_very_much_is_refused(tmp_path, text, qrels, pack, size):
    """A block of much text in a few bytes comes behind a sound one."""
    path = tmp_path / "run.packed"
    path.write_bytes(pack(text) + pack(bytes([10]) * size))
    for threads in (1, 2):
        with pytest.raises(rs.errors.FormatError, match="allow more with max_size="):
            rs.read_runs(qrels, [path], threads=threads)


def test_a_block_that_says_that_it_is_very_large_takes_no_memory(tmp_path, text, qrels):
    """Several threads make room for what the header of a block says: only where it is little."""
    path = tmp_path / "run"
    path.write_bytes(text + bytes([10]) * (130 << 20))
    subprocess.run([shutil.which("xz") or "xz", "-0", "-T2", "--block-size=200MiB", str(path)], check=True)
    reads = "import sys, rankscale as rs\nq = rs.read_qrels({'1': {'a': 1}})\n"
    reads += "try: rs.read_runs(q, [sys.argv[1]], threads=2)\nexcept rs.errors.FormatError as e: print(e)\n"
    reads += "print(open('/proc/self/status').read().split('VmHWM:')[1].split()[0])"
    printed = subprocess.run(
        [sys.executable, "-c", reads, f"{path}.xz"], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert "allow more with max_size=" in printed[0]
    assert int(printed[-1]) < 120 << 10  # kilobytes
