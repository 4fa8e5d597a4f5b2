"""Files made to hurt, too large for the campaign. Each is read or refused, in bounded time."""

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable, Iterator
from itertools import product

import lz4.frame
import pyarrow as pa
import pytest

from rankscale.data.qrels import Qrels
from rankscale.errors import FormatError
from rankscale.inputs import trec
from tests.fuzz.time_limit import within

LIMIT = 20  # seconds, on a busy machine; each takes a second or two on a quiet one
MILLION = 1_000_000
TEN_MEGABYTES = 10_000_000
PAST_WHAT_IS_FREE = 20 << 20  # bombs are looked for from 16 MiB on
LONGEST_LINE = 64 << 20

BOMBS: dict[str, Callable[[bytes], bytes]] = {
    "gz": lambda text: gzip.compress(text, 9),
    "bz2": lambda text: bz2.compress(text, 9),
    "xz": lambda text: lzma.compress(text, preset=0),
    "zst": lambda text: bytes(pa.compress(text, codec="zstd", asbytes=True)),
}
every_packing = pytest.mark.parametrize("packing", BOMBS)


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    with within(LIMIT):
        yield


@pytest.fixture(scope="module")
def qrels() -> Qrels:
    return trec.read_qrels(b"1 0 a 1\n1 0 b 0\n")


@pytest.fixture(scope="module", params=BOMBS)
def bomb(request) -> bytes:
    return BOMBS[request.param]((b" " * 1023 + b"\n") * (PAST_WHAT_IS_FREE // 1024))


@pytest.mark.parametrize("column", range(6))
def test_a_column_of_ten_megabytes_is_a_column(qrels, column):
    fields = [b"1", b"Q0", b"a", b"1", b"2.5", b"tag"]
    fields[column] = b"7" * TEN_MEGABYTES
    run = trec.read_run(qrels, b"1 Q0 b 1 2 tag\n" + b" ".join(fields) + b"\n1 Q0 c 1 0 tag\n", keep_documents=True)
    assert run.length.tolist() == [2 if column == 0 else 3]
    assert run.last_tag == "tag"


def test_a_number_of_ten_megabytes_that_is_none_is_shown_in_part(qrels):
    with pytest.raises(FormatError) as error:
        trec.read_run(qrels, b"1 Q0 b 1 2 tag\n1 Q0 a 1 " + b"7" * TEN_MEGABYTES + b"x tag\n")
    assert str(error.value).startswith("bytes, line 2, column 10: expected a number as score, found 7777")
    assert len(str(error.value)) < 1_000


def test_a_comment_of_ten_megabytes_is_skipped(qrels):
    assert trec.read_run(qrels, b"#" + b" x" * (TEN_MEGABYTES // 2) + b"\n1 Q0 a 1 2 t\n").length.tolist() == [1]


def test_a_line_longer_than_allowed_is_refused(qrels):
    with pytest.raises(FormatError, match=f"longer than {LONGEST_LINE} bytes"):
        trec.read_run(qrels, b"1 Q0 a 1 2 " + b"x" * (2 * LONGEST_LINE) + b"\n")


def test_a_million_topics_that_nobody_judged_are_counted(qrels):
    run = trec.read_run(qrels, b"".join(b"%d Q0 a 1 2 t\n" % topic for topic in range(MILLION)))
    assert (run.rows.tolist(), run.unknown_topics) == ([0], MILLION - 1)


def test_a_million_judged_topics_are_in_byte_order():
    qrels = trec.read_qrels(b"".join(b"%d 0 a 1\n" % topic for topic in range(MILLION)))
    run = trec.read_run(qrels, b"".join(b"%d Q0 a 1 2 t\n" % topic for topic in reversed(range(MILLION))))
    assert list(qrels.topics) == sorted(map(str, range(MILLION)))
    assert run.rows.tolist() == list(range(MILLION))
    assert set(run.rank.tolist()) == {1}


def test_topics_that_take_turns_are_gathered(qrels):
    lines = b"".join(b"%d Q0 %d 1 %d t\n" % (line % 1000, line, line) for line in range(300_000))
    run = trec.read_run(qrels, lines, keep_documents=True)
    assert run.documents == (tuple(str(line) for line in range(299_001, 0, -1000)),)


def test_a_bomb_is_refused(qrels, bomb):
    with pytest.raises(FormatError, match=r"more than 40 times its own size of text.*max_size="):
        trec.read_run(qrels, bomb)
    with pytest.raises(FormatError, match=r"more than 40 times its own size of text.*max_size="):
        trec.read_qrels(bomb)


def test_a_bomb_is_read_where_more_is_allowed(qrels, bomb):
    with pytest.raises(FormatError, match="found no line at all"):
        trec.read_run(qrels, bomb, max_size=PAST_WHAT_IS_FREE)


def test_a_file_packed_with_a_very_long_window_is_said_to_be(qrels):
    """As `zstd --long=31` writes it: a frame that asks for 2 GiB, of 13 bytes as they are."""
    text = b"1 Q0 a 1 2 t\n"
    frame = b"\x28\xb5\x2f\xfd\x00" + bytes([(31 - 10) << 3]) + (len(text) << 3 | 1).to_bytes(3, "little") + text
    with pytest.raises(FormatError, match=r"a window of more than 128 MiB.*\npack it again without --long"):
        trec.read_run(qrels, frame)


@every_packing
def test_the_size_allowed_is_that_of_the_text(qrels, packing):
    text = b"1 Q0 a 1 2 t\n" + b"\n" * 1_000_000
    archive = BOMBS[packing](text)
    assert trec.read_run(qrels, archive, max_size=len(text)).length.tolist() == [1]
    with pytest.raises(FormatError, match=f"bytes: holds more than the {len(text) - 1} bytes allowed of text"):
        trec.read_run(qrels, archive, max_size=len(text) - 1)


def test_the_size_allowed_holds_for_plain_text_too(qrels):
    with pytest.raises(FormatError, match="bytes: holds more than the 12 bytes allowed of text"):
        trec.read_run(qrels, b"1 Q0 a 1 2 t\n", max_size=12)
    assert trec.read_run(qrels, b"1 Q0 a 1 2 t\n", max_size=13).length.tolist() == [1]


@every_packing
def test_an_archive_of_many_empty_members_is_read(qrels, packing):
    archive = BOMBS[packing](b"") * 20_000 + BOMBS[packing](b"1 Q0 a 1 2 t\n")
    assert trec.read_run(qrels, archive).length.tolist() == [1]


def test_an_archive_that_asks_for_a_dictionary_of_4_gib_is_read(qrels):
    archive = bytearray(lzma.compress(b"1 Q0 a 1 2 t\n", filters=[{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 20}]))
    size = (archive[12] + 1) * 4  # the block's header, the check of which is its last four bytes
    archive[archive.index(b"\x21\x01", 12) + 2] = 40
    archive[12 + size - 4 : 12 + size] = zlib.crc32(archive[12 : 12 + size - 4]).to_bytes(4, "little")
    assert trec.read_run(qrels, bytes(archive)).length.tolist() == [1]


def test_ties_of_long_names_with_one_beginning_are_ordered(qrels):
    names = [b"x" * 900 + b"%05d" % (number * 7919 % 20_011) for number in range(20_000)]
    run = trec.read_run(qrels, b"".join(b"1 Q0 %b 1 2 t\n" % name for name in names), keep_documents=True)
    assert run.documents == (tuple(sorted((name.decode() for name in names), reverse=True)),)


def test_as_many_grades_as_a_code_can_tell_apart_are_read_and_no_more():
    lines = [b"1 0 d%d %d\n" % (grade, grade) for grade in range(32_768)]
    qrels = trec.read_qrels(b"".join(lines[:-1]))
    assert qrels.levels.tolist() == list(range(32_767))
    assert qrels.grades("1")["d32766"] == 32_766
    with pytest.raises(FormatError, match="bytes, line 32768, column 5: there are more than 32767 different grades"):
        trec.read_qrels(b"".join(lines))


@pytest.mark.parametrize(("has_size", "has_sum", "has_sums"), [*product((False, True), repeat=3)])
def test_an_lz4_file_that_breaks_off_is_refused_wherever_that_is(qrels, has_size, has_sum, has_sums):
    """Between two blocks, too, as a compressor leaves it that is killed; the last line may be whole there."""
    lines = [b"1 Q0 a 1 2.5 tag\n", b"1 Q0 b 2 1.5 tag\n", b"1 Q0 c 3 0.5 tag\n"]
    packer = lz4.frame.LZ4FrameCompressor(content_checksum=has_sum, block_checksum=has_sums, auto_flush=True)
    packed = (
        packer.begin(sum(map(len, lines)) if has_size else 0) + b"".join(map(packer.compress, lines)) + packer.flush()
    )
    assert trec.read_run(qrels, packed).length.tolist() == [3]
    for size in range(4, len(packed)):  # the first 4 bytes say what it is
        with pytest.raises(FormatError, match="breaks off or is damaged"):
            trec.read_run(qrels, packed[:size])
    with pytest.raises(FormatError, match="breaks off or is damaged"):
        trec.read_run(qrels, packed + b"1 Q0")
    more = b"1 Q0 d 4 0.25 tag\n"
    assert trec.read_run(qrels, packed + lz4.frame.compress(more)).length.tolist() == [4]
