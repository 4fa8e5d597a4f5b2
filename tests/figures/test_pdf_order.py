"""The same drawing gives the same bytes of PDF, whatever order the library's hash tables have."""

import re

import pytest

from rankscale.figures.base.rendering import in_order

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">'
    + "".join(f'<rect x="{n}" width="9" height="9" opacity="0.{n + 1}"><title>{n}</title></rect>' for n in range(9))
    + "".join(
        f'<text x="1" y="{20 * n + 20}" font-family="{font}" font-weight="{weight}">text {n}</text>'
        for n, (font, weight) in enumerate([("sans-serif", 400), ("sans-serif", 700), ("serif", 400), ("serif", 700)])
    )
    + "</svg>"
)


@pytest.fixture(scope="module")
def drawn() -> list[bytes]:
    """The same drawing several times, as the library makes it."""
    vl_convert = pytest.importorskip("vl_convert")
    return [vl_convert.svg_to_pdf(SVG) for _ in range(12)]


def test_every_time_the_same_bytes(drawn: list[bytes]) -> None:
    assert len(set(drawn)) > 1, "the library has an order of its own by now: this module can go"
    assert len(set(map(in_order, drawn))) == 1
    assert in_order(in_order(drawn[0])) == in_order(drawn[0])


def test_every_object_is_where_the_table_says_and_none_is_lost(drawn: list[bytes]) -> None:
    before, after = drawn[0], in_order(drawn[0])
    table = int(re.findall(rb"startxref\n(\d+)", after)[0])
    assert after[table : table + 4] == b"xref"
    places = [int(line[:10]) for line in after[table:].splitlines()[3:] if line.endswith(b" n")]
    for number, place in enumerate(places, start=1):
        assert after[place:].startswith(b"%d 0 obj\n" % number)
    named = {int(number) for number in re.findall(rb"(\d+) 0 R", after)}
    assert named <= set(range(1, len(places) + 1))
    streams = [sorted(re.findall(rb"stream\n(.*?)\nendstream", pdf, re.DOTALL)) for pdf in (before, after)]
    assert streams[0] == streams[1]
    assert before.count(b" 0 obj\n") == after.count(b" 0 obj\n") == len(places)


def test_what_is_built_otherwise_stays_as_it_is() -> None:
    for other in (b"", b"%PDF-1.7\nno table", b"xref\n0 1\n0000000000 65535 f\r\n"):
        assert in_order(other) == other
