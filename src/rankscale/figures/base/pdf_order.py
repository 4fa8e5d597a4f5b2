"""The same drawing gives the same PDF file: objects and resources in an order that depends on their content alone.

The library that makes PDF files keeps fonts and resources in hash tables, whose order differs from process to process,
and writes them in that order. Nothing else differs: it writes no dates and no identifiers.
"""

import re

NUMBER = re.compile(rb"\b(\d+) 0 R\b")
RESOURCES = re.compile(rb"(/(?:XObject|ExtGState|Font|Pattern|Shading|ColorSpace) <<\n)((?: +/\S+ \d+ 0 R\n)+)")
DIGITS = re.compile(rb"\d+")
STREAM = b"\nstream\n"


def in_order(pdf: bytes) -> bytes:
    """The same file with its resources sorted by name and its objects numbered as they are met from the root.

    A file of another structure than the library writes today (one table of objects, none of them packed) is left as
    it is.
    """
    table = pdf.rfind(b"xref\n0 ", 0, pdf.rfind(b"startxref"))
    trailer = pdf.find(b"trailer\n", table)
    if table < 0 or trailer < 0:
        return pdf
    places = [int(line[:10]) for line in pdf[table:trailer].splitlines()[3:]]
    objects = dict(enumerate(_objects(pdf, places, table), start=1))
    if not all(body.startswith(b"%d 0 obj\n" % number) for number, body in objects.items()):
        return pdf
    parts = {number: _sorted(body) for number, body in objects.items()}
    end = pdf[trailer : pdf.rindex(b"startxref")]
    new = _numbers(parts, end)
    return _written(pdf[: min(places)], parts, end, new) if len(new) == len(parts) else pdf


def _objects(pdf: bytes, places: list[int], end: int) -> list[bytes]:
    """The objects, from where each starts to where the next one does."""
    following = dict(zip(sorted(places), [*sorted(places)[1:], end], strict=True))
    return [pdf[place : following[place]] for place in places]


def _sorted(body: bytes) -> tuple[bytes, bytes]:
    """An object without its number: its dictionary, with resources sorted by name, and its stream, if it has one."""
    head, stream, rest = body.partition(b"\n")[2].partition(STREAM)
    return RESOURCES.sub(_by_name, head), stream + rest


def _by_name(resources: "re.Match[bytes]") -> bytes:
    lines = resources[2].splitlines(keepends=True)
    return bytes(resources[1]) + b"".join(sorted(lines, key=lambda line: (int(DIGITS.findall(line)[0]), line)))


def _numbers(parts: dict[int, tuple[bytes, bytes]], end: bytes) -> dict[int, int]:
    """The new number of each object by its old one: as they are first named, from the trailer on."""
    new: dict[int, int] = {}
    waiting = [int(number) for number in reversed(NUMBER.findall(end))]
    while waiting:
        number = waiting.pop()
        if number not in new and number in parts:
            new[number] = len(new) + 1
            waiting.extend(int(named) for named in reversed(NUMBER.findall(parts[number][0])))
    return new


def _written(head: bytes, parts: dict[int, tuple[bytes, bytes]], end: bytes, new: dict[int, int]) -> bytes:
    def renamed(text: bytes) -> bytes:
        return NUMBER.sub(lambda named: b"%d 0 R" % new[int(named[1])], text)

    made, places = [head], []
    size = len(head)
    for old in sorted(new, key=new.__getitem__):
        body = b"%d 0 obj\n" % new[old] + renamed(parts[old][0]) + parts[old][1]
        places.append(size)
        size += len(body)
        made.append(body)
    lines = b"".join(b"%010d 00000 n\r\n" % place for place in places)
    table = b"xref\n0 %d\n0000000000 65535 f\r\n" % (len(places) + 1) + lines
    return b"".join([*made, table, renamed(end), b"startxref\n%d\n%%%%EOF" % size])
