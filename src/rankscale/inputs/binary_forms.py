"""Which files are not text: Parquet, Arrow and ranx, by how they start, and folders of such files.

What opens them is in `binary.py` and `ranx.py`, and imported for such files alone.
"""

import os

from rankscale.data.table import readable
from rankscale.inputs.files import NamedBytes, NamedFile

LZ4 = b"\x04\x22\x4d\x18"
MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}  # how such files start
START = 64  # bytes that tell the form
LONGEST = 2_000  # characters of a message about a file
PART = (
    "part-",
    "part_",
    "_SUCCESS",
    "_metadata",
    "_common_metadata",
    "_rankscale.json",
)  # files of a data set that engines write
ENDINGS = {".parquet": "parquet", ".parq": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def binary_form(source: object) -> str | None:
    """'parquet', 'arrow' or 'ranx', by how a file starts or what a folder holds.

    None for text, packed or not, and for what can be read only once.
    """
    if isinstance(source, NamedFile):
        return _form_of_start(_start_of(source.path))
    if isinstance(source, NamedBytes | bytes):
        content = source if isinstance(source, bytes) else source.content
        return _form_of_start(content[:START])
    if not isinstance(source, str | os.PathLike):
        return None
    if os.path.isdir(source):
        return form_of_folder(os.fsdecode(source))
    return _form_of_start(_start_of(source)) if os.path.isfile(source) else None


def _start_of(path: str | os.PathLike[str]) -> bytes:
    try:
        with open(path, "rb") as file:
            return file.read(START)
    except OSError:  # the reader of text has the words
        return b""


def _form_of_start(start: bytes) -> str | None:
    """Ranx packs twice: the second packing starts in the first block of the first, as plain bytes or nearly so."""
    if start.startswith(LZ4):
        block = 7 + 8 * (start[4] >> 3 & 1) + 4 * (start[4] & 1) if len(start) > 4 else 0
        is_empty = start[block : block + 4] == b"\0\0\0\0"
        return "ranx" if LZ4 in start[block + 4 : block + 12] and not is_empty else None
    return MAGIC.get(start[:4])


def form_of_folder(folder: str) -> str | None:
    """The form of a folder that is one data set: named like a file, or full of the parts that engines write."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    by_name = ENDINGS.get(os.path.splitext(folder.rstrip("/"))[1].lower())
    files = [name for name in names if not name.startswith("_")]
    forms = {ENDINGS.get(os.path.splitext(name)[1].lower()) for name in files}
    if len(forms) != 1 or None in forms:
        return None
    is_split = bool(files) and all(name.startswith(PART) for name in names)
    return next(iter(forms)) if by_name or is_split else None


def in_print(message: str) -> str:
    """A message in which control characters that a file brought are written out, and of a length to be read."""
    shown = message if len(message) <= LONGEST else f"{message[:LONGEST]} ..."
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{{{ord(c):x}}}" for c in readable(shown))
