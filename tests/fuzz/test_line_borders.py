"""Lines are cut 64 bytes at a time: columns, runs of blanks and control characters around the borders."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.agreement import disagreement
from tests.fuzz.inputs import Case

BORDERS = [border + by for border in (64, 128, 192, 256) for by in (-1, 0, 1)]
COLUMNS = [b"301", b"Q0", b"msmarco_passage_67_36068127", b"1", b"12.500001", b"tag"]
BETWEEN = [b" ", b"\t", b"  ", b" \t ", b"\r", b"\x0b", b"\x0c\x0c", b" " * 70]
ENDS = [b"\n", b" \n", b"\r\n", b"\t \r\n", b"\n\n", b" " * 66 + b"\n"]
ODD = [b"\x00", b"\x01", b"\x1f", b"\x7f", b"\x85", b"\xa0", b"#"]
USUAL = b"".join(b"900 Q0 d%d 1 1.5 tag\n" % number for number in range(1000))  # more than is marked at once
QRELS = b"301 0 msmarco_passage_67_36068127 1\n301\t0  d1 2\r\n 302 0 a 0 \n"


def assert_agreed(run: bytes, qrels: bytes = QRELS) -> None:
    assert disagreement(Case(qrels, run)) is None


def line(columns: list[bytes], between: bytes = b" ", end: bytes = b"\n") -> bytes:
    return between.join(columns) + end


@pytest.mark.parametrize("size", BORDERS)
def test_any_column_may_end_at_a_border(size):
    for place, column in enumerate(COLUMNS):
        if place == 4:
            longer = column + b"0" * (size - len(b" ".join(COLUMNS[:5])))
        else:
            longer = b"x" * (size - len(b" ".join(COLUMNS[:place])) - 1)
        columns = [*COLUMNS[:place], longer, *COLUMNS[place + 1 :]]
        for between in BETWEEN:
            assert_agreed(line(columns, between) + line(columns, end=b""))
        assert_agreed(line(columns) + USUAL)


@pytest.mark.parametrize("end", ENDS)
def test_a_line_may_end_at_a_border(end):
    for size in BORDERS:
        first = line([*COLUMNS[:5], b"t" * (size - len(b" ".join(COLUMNS[:5])) - 1)], end=end)
        second = line([b"301", b"Q0", b"d1", b"2", b"1", b"tag"], end=end)
        assert_agreed(first + second)
        assert_agreed(first + second.rstrip())


@pytest.mark.parametrize("odd", ODD)
def test_control_characters_at_a_border(odd):
    for size in BORDERS:
        text = line([*COLUMNS[:2], b"d" * (size + 20), *COLUMNS[3:]])
        for place in (size - 1, size, size + 1, text.index(b" 1 "), text.index(b" 1 ") + 1, len(text) - 1):
            assert_agreed(text[:place] + odd + text[place:])
            assert_agreed(text[:place] + b" " + odd + b" " + text[place:])
            assert_agreed(text[:place] + odd + text[place + 1 :])


@pytest.mark.parametrize(
    "comment", [b"# a b c d e\n", b"#a b c d e f\n", b"# a b c\n", b" # a b c d e\n", b"#\n", b"#  a b c d e\r\n"]
)
def test_comments_with_as_many_columns_as_a_line(comment):
    lines = [line([b"301", b"Q0", b"d%d" % number, b"1", b"%d" % number, b"tag"]) for number in range(4)]
    for behind in (b"", USUAL):
        assert_agreed(lines[0] + comment + b"".join(lines[1:]) + behind)
        assert_agreed(comment.join([b"", *lines, b""]) + behind)
    assert_agreed(lines[1], comment.join([b"", *QRELS.splitlines(keepends=True), b"302 0 c 1\n302 0 b 1\n"]))


words = st.integers(1, 140).flatmap(
    lambda size: st.sampled_from([b"d", b"\xc3\xa9", b"0"]).map(lambda byte: byte * size)
)
scores = st.one_of(
    st.floats(-1e6, 1e6).map(lambda score: repr(score).encode()),
    st.tuples(st.floats(-99, 99), st.integers(0, 30)).map(lambda pair: b"%.*f" % (pair[1], pair[0])),
    st.integers(-(10**17), 10**17).map(lambda score: b"%d" % score),
    st.sampled_from(
        [b".5", b"5.", b"-.25", b"+1.5", b"1e-5", b".", b"-", b"1.2.3", b"inf", b"nan", b"12345678.123456789"]
    ),
)
blanks = st.one_of(st.just(b" "), st.just(b" "), st.sampled_from(BETWEEN))


@st.composite
def runs(draw: st.DrawFn) -> bytes:
    """Some lines of one run, most of them right; documents differ."""
    text = b""
    for number in range(draw(st.integers(1, 6))):
        document = draw(words) + b"%d" % number
        columns = [draw(st.sampled_from([b"301", b"302"])), b"Q0", document, b"1", draw(scores), b"tag"]
        columns = columns[: draw(st.sampled_from([6] * 20 + [5, 1]))]
        joined = b"".join(column + draw(blanks) for column in columns[:-1]) + columns[-1]
        text += draw(st.sampled_from([b"", b"", b"", b" ", b"\t"])) + joined + draw(st.sampled_from(ENDS))
    return text


@settings(max_examples=300)
@given(runs())
def test_the_core_and_the_plain_reader_agree_on_long_and_spaced_lines(run):
    assert_agreed(run)
