"""The text of each page of a PDF that Chromium printed, as far as tests need it."""

import re
import zlib

OBJECT = re.compile(rb"(\d+) 0 obj(.*?)endobj", re.DOTALL)
STREAM = re.compile(rb"stream\r?\n(.*?)\r?\nendstream", re.DOTALL)
TOKEN = re.compile(rb"/(F\d+) [\d.]+ Tf|<([0-9A-Fa-f]+)>|(ET)")


def printed_pages(pdf: bytes) -> list[str]:
    """The text of each page; pieces of text that are drawn apart are set apart by blanks."""
    objects = {int(number): body for number, body in OBJECT.findall(pdf)}
    streams = {number: _unpacked(found[1]) for number, body in objects.items() if (found := STREAM.search(body))}
    letters = {
        number: _letters(streams[int(found[1])].decode("latin1"))
        for number, body in objects.items()
        if (found := re.search(rb"/ToUnicode (\d+) 0 R", body))
    }
    pages = []
    for body in objects.values():
        if re.search(rb"/Type\s*/Page\b(?!s)", body):
            resources = re.search(rb"/Resources (\d+) 0 R", body)
            fonts = re.findall(rb"/(F\d+) (\d+) 0 R", objects[int(resources[1])] if resources else body)
            drawn = b"".join(streams[int(number)] for number in re.findall(rb"/Contents (\d+) 0 R", body))
            pages.append(_text(drawn, {name: letters.get(int(number), {}) for name, number in fonts}))
    return pages


def _unpacked(stream: bytes) -> bytes:
    try:
        return zlib.decompress(stream)
    except zlib.error:
        return stream


def _letters(table: str) -> dict[int, str]:
    """What glyphs of a font stand for."""
    found = {}
    for block in re.findall(r"beginbfchar(.*?)endbfchar", table, re.DOTALL):
        for glyph, text in re.findall(r"<(\w+)> <(\w+)>", block):
            found[int(glyph, 16)] = bytes.fromhex(text).decode("utf-16-be")
    for block in re.findall(r"beginbfrange(.*?)endbfrange", table, re.DOTALL):
        for first, last, text in re.findall(r"<(\w+)> <(\w+)> <(\w+)>", block):
            for glyph in range(int(first, 16), int(last, 16) + 1):
                found[glyph] = chr(int(text, 16) + glyph - int(first, 16))
    return found


def _text(drawn: bytes, fonts: dict[bytes, dict[int, str]]) -> str:
    pieces: list[str] = []
    letters: dict[int, str] = {}
    for font, glyphs, ends in TOKEN.findall(drawn):
        if font:
            letters = fonts.get(font, {})
        elif ends:
            pieces.append(" ")
        else:
            pieces += [letters.get(int(glyphs[at : at + 4], 16), "?") for at in range(0, len(glyphs), 4)]
    return "".join(pieces)
