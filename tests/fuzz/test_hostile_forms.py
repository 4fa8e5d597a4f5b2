"""Files made to hurt the readers of forms, too large for the campaign. Each is read or refused, in bounded time."""

import bz2
import gzip
import lzma
from collections.abc import Callable, Iterator

import pytest

import rankscale
from rankscale.errors import FormatError
from tests.fuzz.time_limit import within

LIMIT = 20  # seconds, on a busy machine
MILLION = 1_000_000
TEN_MEGABYTES = 10_000_000
PAST_THE_LONGEST = 65 << 20
HEADER = b"qid,docno,score\n"
JUDGMENTS = {"1": {"a": 1.0, "b": 0.0}}


@pytest.fixture(autouse=True)
def limit() -> Iterator[None]:
    with within(LIMIT):
        yield


def documents(data: bytes) -> tuple[tuple[str, ...], ...]:
    (run,) = rankscale.read_runs(JUDGMENTS, data, keep_documents=True)
    assert run.documents is not None
    return run.documents


LONG: dict[str, Callable[[bytes], bytes]] = {
    "csv": lambda name: HEADER + b'1,a,3\n1,"%b",2\n1,b,1\n' % name,
    "tsv": lambda name: HEADER.replace(b",", b"\t") + b"1\ta\t3\n1\t%b\t2\n1\tb\t1\n" % name,
    "4 columns": lambda name: b"1 a 1 3\n1 %b 2 2\n1 b 3 1\n" % name,
    "json": lambda name: b'{"1": {"a": 3, "%b": 2, "b": 1}}' % name,
    "jsonl": lambda name: b'{"qid": 1, "docs": [["a", 3], ["%b", 2], ["b", 1]]}\n' % name,
}


@pytest.mark.parametrize("write", LONG.values(), ids=LONG)
def test_a_name_of_ten_megabytes_is_a_name(write):
    ((first, long, last),) = documents(write(b"x" * TEN_MEGABYTES))
    assert (first, len(long), last) == ("a", TEN_MEGABYTES, "b")


@pytest.mark.parametrize("form", ["csv", "tsv", "jsonl"])
def test_a_record_longer_than_allowed_is_refused(form):
    with pytest.raises(FormatError) as error:
        documents(LONG[form](b"x" * PAST_THE_LONGEST))
    assert len(str(error.value)) < 2_000


@pytest.mark.parametrize(
    "data",
    [
        HEADER + b'1,"' + b"a,1\n" * (20 << 20),
        b"[" * TEN_MEGABYTES,
        b'{"a":' * (TEN_MEGABYTES // 5),
        b'{"qid": 1, "x": ' + b"[" * TEN_MEGABYTES + b"]" * TEN_MEGABYTES + b"}\n",
        b'{"1": {"a": ' + b"9" * TEN_MEGABYTES + b"x}}",
        b'{"1": {"' + b"\\u00" * (TEN_MEGABYTES // 4),
        b"qid\t" * MILLION + b"docno\n",
    ],
    ids=["a quote never closed", "arrays", "objects", "skipped arrays", "a number", "escapes", "a header"],
)
def test_what_never_ends_is_refused(data):
    with pytest.raises(FormatError) as error:
        documents(data)
    assert len(str(error.value)) < 2_000


def test_many_columns_are_many_columns():
    names = b",".join(b"c%d" % number for number in range(100_000))
    data = b"qid,docno,score,%b\n1,a,2,%b\n" % (names, b"," * 99_999)
    assert documents(data) == (("a",),)


def test_many_skipped_members_are_skipped():
    members = b",".join(b'"k%d":{"x":[%d]}' % (number, number) for number in range(200_000))
    assert documents(b'{"qid":1,%b,"docid":"a","score":2}\n' % members) == (("a",),)


def test_a_number_of_ten_megabytes_is_a_number():
    number = b"7" * TEN_MEGABYTES
    assert documents(b'{"1": {"a": -%b, "b": 0.%b}}' % (number, number)) == (("b", "a"),)


@pytest.mark.parametrize("form", ["csv", "jsonl", "json"])
def test_a_million_topics_that_nobody_judged_are_counted(form):
    pieces = {
        "csv": (HEADER, b"%d,a,2\n", b"", b""),
        "jsonl": (b"", b'{"qid":%d,"docid":"a","score":2}\n', b"", b""),
        "json": (b"{", b'"%d":{"a":2}', b",", b"}"),
    }
    before, each, between, after = pieces[form]
    data = before + between.join(each % topic for topic in range(MILLION)) + after
    (run,) = rankscale.read_runs(JUDGMENTS, data)
    assert (run.rows.tolist(), run.unknown_topics) == ([0], MILLION - 1)


def test_many_runs_in_one_file_are_many_runs():
    data = b"run,qid,docno,score\n" + b"".join(b"r%d,1,a,2\n" % run for run in range(2_000))
    assert [run.name for run in rankscale.read_runs(JUDGMENTS, data)] == [f"r{run}" for run in range(2_000)]


def test_runs_and_topics_that_take_turns_are_gathered():
    lines = b"".join(b"r%d,%d,d%d,%d\n" % (line % 3, line % 7, line, line) for line in range(200_000))
    runs = rankscale.read_runs(JUDGMENTS, b"run,qid,docno,score\n" + lines, keep_documents=True)
    for number, run in enumerate(runs):
        own = [f"d{line}" for line in range(200_000) if line % 3 == number and line % 7 == 1]
        assert run.documents == (tuple(reversed(own)),)


MANY_IN_FEW_BYTES: dict[str, Callable[[int], bytes]] = {
    "trec": lambda n: b"".join(b"%06d Q0 a 1 1 t\n" % i for i in range(n)),
    "scattered": lambda n: b"2 Q0 a 1 1 t\n3 Q0 a 1 1 t\n2 Q0 b 1 1 t\n" + MANY_IN_FEW_BYTES["trec"](n),
    "delimited": lambda n: HEADER + b"".join(b"%06d,a,1\n" % i for i in range(n)),
    "jsonl": lambda n: b"".join(b'{"qid": "%06d", "docid": "a", "score": 1}\n' % i for i in range(n)),
    "json": lambda n: b"{" + b",".join(b'"%06d":{"a":1}' % i for i in range(n)) + b"}",
    "empty": lambda n: b'{"1":{"a":1},' + b",".join(b'"%06d":{}' % i for i in range(2, n)) + b"}",
}


@pytest.mark.parametrize("form", MANY_IN_FEW_BYTES)
def test_more_rankings_than_packed_bytes_can_hold_are_refused(form):
    packed = lzma.compress(MANY_IN_FEW_BYTES[form](180_000), preset=6)
    assert len(packed) < 70_000
    with pytest.raises(FormatError, match=r"bytes: holds \d+ rankings, or topics, in \d+ packed bytes.*max_size="):
        rankscale.read_run(JUDGMENTS, packed)
    assert rankscale.read_run(JUDGMENTS, packed, max_size=100 << 20).unknown_topics > 170_000
    assert rankscale.read_run(JUDGMENTS, lzma.compress(MANY_IN_FEW_BYTES[form](120_000))).unknown_topics > 119_000


def test_more_topics_of_qrels_than_packed_bytes_can_hold_are_refused():
    text = b"".join(b"%06d 0 a 1\n" % i for i in range(180_000))
    for packed in (lzma.compress(text), bz2.compress(text)):
        with pytest.raises(FormatError, match=r"bytes: holds \d+ rankings, or topics, in \d+ packed bytes.*max_size="):
            rankscale.read_qrels(packed)
        assert len(rankscale.read_qrels(packed, max_size=10 << 20).topics) == 180_000
    assert len(rankscale.read_qrels(text).topics) == 180_000


def test_more_runs_than_packed_bytes_can_hold_are_refused():
    """Also in a small gzip file, which is unpacked at once."""
    text = b"run,qid,docno,score\n" + b"".join(b"%05d,1,a,1\n" % i for i in range(9_000))
    for packed in (gzip.compress(text, 9), lzma.compress(text)):
        with pytest.raises(FormatError, match=r"bytes: holds \d+ runs in \d+ packed bytes.*max_size="):
            rankscale.read_runs(JUDGMENTS, packed)
        assert len(rankscale.read_runs(JUDGMENTS, packed, max_size=1 << 20)) == 9_000


@pytest.mark.parametrize("start", [b"", b"0,1,a,1\n1,1,a,1\n0,2,a,1\n0,1,b,1\n"])
def test_more_runs_than_a_file_can_have_are_refused(start):
    """In topics one after the other, and gathered."""
    text = b"run,qid,docno,score\n" + start + b"".join(b"r%d,1,a,1\n" % number for number in range(50_001))
    with pytest.raises(FormatError, match=r"bytes: holds more than 50000 runs\nis the column of runs the right one"):
        rankscale.read_runs(JUDGMENTS, text)
    with pytest.raises(FormatError, match="holds more than 50000 runs"):
        rankscale.read_runs(
            JUDGMENTS, [{"run": f"r{n}", "topic": "1", "document": "a", "score": 1.0} for n in range(50_001)]
        )


def test_a_bomb_is_refused():
    for before in (HEADER, b'{"qid": 1, "docid": "a", "score": 1}\n', b"["):
        with pytest.raises(FormatError, match="more than 40 times its own size of text"):
            documents(gzip.compress(before + (b" " * 1023 + b"\n") * (80 << 10), 9))
