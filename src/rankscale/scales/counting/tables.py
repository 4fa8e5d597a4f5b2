"""Counts that take long to make and are shipped with the package: made by tools/make_scale_tables.py.

A table is a file of numpy arrays: boundaries, ascending; how many distinct values lie below each; the number of the
format; and a SHA-256 of the numbers. It is checked when it is read, and one of its windows is counted again when it
is used (see `windows`).
"""

import hashlib
import os
import zipfile
import zlib
from io import BytesIO

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.errors import ScaleError
from rankscale.scales.counting.windows import REMEDY, Checkpoints

FORMAT = 1
FOLDER = os.path.join(os.path.dirname(os.path.dirname(__file__)), "shipped")


def has_table(name: str, depth: int) -> bool:
    """Whether the counts of a measure at a depth are shipped."""
    return os.path.exists(path_of(name, depth))


def path_of(name: str, depth: int) -> str:
    """Where the counts of a measure at a depth are, if they are shipped."""
    return os.path.join(FOLDER, f"{name}_{depth}.npz")


def table(name: str, depth: int) -> Checkpoints:
    """The counts of a measure at a depth, as shipped; refused if they are not what was written."""
    return read(path_of(name, depth), f"table {name}@{depth} v{FORMAT}")


def read(path: str, source: str) -> Checkpoints:
    """The counts in a file."""
    try:
        with open(path, "rb") as file:
            content = BytesIO(file.read())
        with np.load(content, allow_pickle=False) as arrays:
            boundaries, counts = (arrays[key].astype(np.int64, casting="safe") for key in ("boundaries", "counts"))
            version, checksum = int(arrays["format"]), bytes(arrays["checksum"])
    except (OSError, KeyError, ValueError, TypeError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ScaleError(f"{path}: {error}; {REMEDY}") from None
    fault = _fault(boundaries, counts, version, checksum)
    if fault:
        raise ScaleError(f"{path}: {fault}; {REMEDY}")
    return Checkpoints(boundaries, counts, source)


def write(path: str, made: Checkpoints) -> None:
    """Counts to a file."""
    content = BytesIO()
    np.savez_compressed(
        content,
        boundaries=made.boundaries,
        counts=made.counts,
        format=np.array(FORMAT),
        checksum=np.frombuffer(_checksum(made.boundaries, made.counts), dtype=np.uint8),
    )
    with open(path, "wb") as file:
        file.write(content.getvalue())


def _fault(boundaries: Ints, counts: Ints, version: int, checksum: bytes) -> str:
    if version != FORMAT:
        return f"written in format {version}, not {FORMAT}"
    if checksum != _checksum(boundaries, counts):
        return "damaged (its checksum differs)"
    if boundaries.shape != counts.shape or len(counts) < 2 or counts[0] != 0:
        return "no counts from none to all"
    if not (_ascending(boundaries) and _ascending(counts)):
        return "numbers do not ascend"
    return ""


def _checksum(boundaries: Ints, counts: Ints) -> bytes:
    content = boundaries.astype("<i8").tobytes() + counts.astype("<i8").tobytes()
    return hashlib.sha256(content).digest()


def _ascending(numbers: Ints) -> bool:
    return bool((np.diff(numbers) > 0).all())
