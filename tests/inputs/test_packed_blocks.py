"""Large bzip2 and xz files, whose blocks several threads unpack: nobody can tell."""

import bz2
import lzma
import random
import shutil
import subprocess
from collections.abc import Callable
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


def test_a_file_that_unpacks_to_very_much_is_refused(tmp_path, text, qrels):
    """A block of 46 MB in a few bytes is not unpacked beside others."""
    path = tmp_path / "run.bz2"
    path.write_bytes(bz2.compress(text) + bz2.compress(bytes([10]) * (100 << 20)))
    for threads in (1, 2):
        with pytest.raises(rs.errors.FormatError, match="allow more with --max-size"):
            rs.read_runs(qrels, [path], threads=threads)
