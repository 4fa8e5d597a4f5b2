"""What a run says of how it was made: `ir_metadata`, YAML in the comments above a run, or in the file next to it.

Names and plain values are all that is taken: maps by indentation, lists, and text that goes on in the next line. That
needs no library, and the result is the same whether or not there is one.
"""

import os
import re
from collections.abc import Iterable, Iterator

from rankscale.inputs.folders import METADATA, RUN

START, END = "ir_metadata.start", "ir_metadata.end"
TEXT_BELOW = re.compile(r"[|>][-+]?\d?")  # the value stands in the lines below
MOST = 1 << 20  # bytes looked at
Fields = tuple[tuple[str, str], ...]  # names of nested fields are joined by points


def metadata_of(start: bytes) -> Fields:
    r"""The fields in the comments with which a file starts; none where there is no `# ir_metadata.start`.

    >>> metadata_of(b"# ir_metadata.start\n# actor:\n#   team: ours\n# ir_metadata.end\n1 Q0 a 1 9 x\n")
    (('actor.team', 'ours'),)
    """
    if not start[:64].lstrip().startswith(b"#"):
        return ()
    comments = list(_comments(start[:MOST].decode("utf-8", "replace")))
    names = [comment.strip() for comment in comments]
    if START not in names:
        return ()
    inside = comments[names.index(START) + 1 :]
    return fields_of(inside[: names.index(END) - names.index(START) - 1] if END in names else inside)


def metadata_next_to(path: str) -> Fields | None:
    """The fields of the `ir-metadata.yml` of a run directory of TIRA; None where a file is not the run of one."""
    folder, name = os.path.split(path)
    if not name.startswith(RUN):
        return None
    for other in METADATA:
        if os.path.isfile(place := os.path.join(folder, other)):
            with open(place, "rb") as file:
                lines = file.read(MOST).decode("utf-8", "replace").splitlines()
            return fields_of(line for line in lines if line.strip() not in {START, END})
    return None


def _comments(text: str) -> Iterator[str]:
    """The first lines, without the `#` and the blank after it."""
    for line in text.split("\n"):
        if line.lstrip().startswith("#"):
            yield line.lstrip().removeprefix("#").removeprefix(" ").rstrip()
        elif line.strip():
            return


def fields_of(lines: Iterable[str]) -> Fields:
    """Names and values, in the order of the text; the items of a list are put together by commas.

    >>> fields_of(["method:", "  name: a", "  stages:", "  - bm25", "  - 'reranker'", "note: one", "  two"])
    (('method.name', 'a'), ('method.stages', 'bm25, reranker'), ('note', 'one two'))
    """
    values: dict[str, list[list[str]]] = {}  # the lines of each value
    open_names: list[tuple[int, str]] = []  # by how far they are indented
    current = ""
    for line in lines:
        indent, text = len(line) - len(line.lstrip()), line.strip()
        if not text or text.startswith("#") or text == "---":
            continue
        is_item = text.startswith("- ")
        if is_item:
            indent, text = indent + 2, text[2:].strip()
        pair = _pair(text)
        if pair is None and not is_item:  # more of the value above
            if current:
                values.setdefault(current, [[]])[-1].append(_plain(text))
            continue
        while open_names and open_names[-1][0] >= indent:
            open_names.pop()
        if pair is not None:
            open_names.append((indent, pair[0]))
        current = ".".join(name for _, name in open_names)
        value = text if pair is None else pair[1]
        if value and not TEXT_BELOW.fullmatch(value):
            values.setdefault(current, []).append([_plain(value)])
    return tuple((name, ", ".join(map(" ".join, parts))) for name, parts in values.items())


def _pair(text: str) -> tuple[str, str] | None:
    """The name and the value of a field; None where a line has none."""
    quoted = text.find(text[0], 1) + 1 if text[0] in "\"'" else 0  # a colon in quotes is part of the name
    colon = text.find(":", quoted)
    name, value = text[:colon].strip(), text[colon + 1 :]
    is_field = colon > 0 and name and (not value or value[0].isspace())
    return (_plain(name), value.strip()) if is_field else None


def _plain(text: str) -> str:
    """A value without the quotes around it."""
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return text[1:-1] if quoted else text.strip()
