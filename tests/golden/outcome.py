"""What a case of the record left behind, as text that is the same on every machine."""

import gzip
import hashlib
import json
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import rankscale
from rankscale.data.arguments import register
from rankscale.measures.base.register_table import CLASSES
from rankscale.sample import QRELS
from rankscale.stats.tests.register import known_tests
from tools.draw_gallery import SLOW

NAMES = Path(__file__).parent / "names.txt"  # that registers had when the record was written
LONGEST = 8_000  # characters of a part that is kept whole
FIRST_LINES = 60  # kept of a longer one
LONGEST_LINE = 400  # of these

_DECIMAL = re.compile(r"-?\b\d+\.\d+(?:e[-+]?\d+)?\b")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_VERSION = re.compile(rf"(?<![\w.]){re.escape(rankscale.__version__)}(?![\w.])")


@dataclass
class Outcome:
    """What was printed, how it ended, and the files that were written."""

    asked: str = ""
    code: int | None = None
    out: str = ""
    err: str = ""
    files: dict[str, str] = field(default_factory=dict)  # name: content, in words where it is no text

    def text(self, folder: Path, *, whole: bool) -> str:
        """The record; `folder` is where it ran; `whole` keeps long parts as they are."""
        parts = [f"$ {self.asked}\n"] if self.asked else []
        parts += [] if self.code is None else [f"[exit] {self.code}\n"]
        told = {"stdout": self.out, "stderr": self.err} if self.asked else {"printed": self.out, "stderr": self.err}
        told |= {f"file {name}": self.files[name] for name in sorted(self.files)}
        parts += [f"[{name}]\n{_shortened(_steady(text, folder), whole=whole)}" for name, text in told.items() if text]
        return "".join(parts)


def registered_names() -> list[str]:
    """Names of measures, tests, studies and figures, with the Python names of studies, from their registers."""
    studies = register("studies")
    python = [name for study in studies.values() for name in (study.python, study.result)]
    return sorted({*CLASSES, *known_tests(), *studies, *python, *register("figures")})


@cache
def added_names() -> tuple[str, ...]:
    """Names that are new since the record was written: lists in it are right without them."""
    return tuple(sorted(set(registered_names()) - set(NAMES.read_text(encoding="utf-8").splitlines())))


def _without(names: Iterable[str], text: str) -> str:
    """A text whose lists lack some names: rows that begin with one, and entries between commas.

    >>> _without(["bars", "HardTopics"], "a, bars, b\\n  bars  Draw bars.\\nbars@3 0.5\\nPool HardTopics Top\\n")
    'a, b\\nPool Top\\n'
    """
    for name in map(re.escape, names):
        text = re.sub(rf"^ *{name}(?=[@, (]|$).*\n(?: {{10,}}\S.*\n)*", "", text, flags=re.MULTILINE)
        text = re.sub(rf",\s+('?){name}\1(?=[,.;)\]]|$)", "", text, flags=re.MULTILINE)
        if re.search("[_A-Z]", name):  # no word of a sentence
            text = re.sub(rf" {name}(?= )", "", text)
    return text


def _steady(text: str, folder: Path) -> str:
    """Text without what depends on the machine or the version, control characters written out."""
    for path, name in ((str(folder), "TMP"), (str(folder.resolve()), "TMP"), (str(QRELS.parent), "SAMPLE")):
        text = text.replace(path, name)
    text = _without(added_names(), SLOW.sub("", text))
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", _VERSION.sub("VERSION", text))


def _shortened(text: str, *, whole: bool) -> str:
    """A text that ends with a line; of a long one its first lines, and a digest of the whole."""
    ended = text if text.endswith("\n") else f"{text}\n[no end of line]\n"
    if whole or len(ended) <= LONGEST:
        return ended
    lines = [
        line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]} ..." for line in ended.splitlines()[:FIRST_LINES]
    ]
    digest = hashlib.sha256(ended.encode()).hexdigest()
    kept = "".join(f"{line}\n" for line in lines)
    return f"{kept}[{len(ended.splitlines())} lines, {len(ended)} characters, sha256 of all {digest}]\n"


def nearly_same(one: str, other: str) -> bool:
    """Whether two texts differ in nothing but the last digits of decimal numbers.

    >>> nearly_same("p 0.8243350647900031", "p 0.8243350647900032"), nearly_same("p 0.8243", "p 0.8244")
    (True, False)
    """
    if _DECIMAL.sub("", one) != _DECIMAL.sub("", other):
        return False
    pairs = zip(_DECIMAL.findall(one), _DECIMAL.findall(other), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=1e-12, abs_tol=1e-15) for a, b in pairs)


def written(folder: Path, before: set[Path]) -> dict[str, str]:
    """The files below a folder that were not there before."""
    return {str(path.relative_to(folder)): _content(path) for path in listed(folder) - before}


def listed(folder: Path) -> set[Path]:
    """Files below a folder; links are not followed."""
    return {path for path in folder.rglob("*") if path.is_file() and not path.is_relative_to(folder / "sample")}


def _content(path: Path) -> str:
    """A file as text: rows of Parquet, headings of a page, the size of a drawing."""
    if path.suffix == ".parquet":
        return _rows(path)
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    text = data.decode("utf-8", "surrogateescape")
    if path.suffix == ".html":
        text = re.sub(r"<(script|style)\b.*?</\1>", "", text, flags=re.DOTALL)
        found = re.findall(r"<(title|h1|h2)\b[^>]*>(.*?)</\1>", text, re.DOTALL)
        return "".join(f"{tag}: {' '.join(words.split())}\n" for tag, words in found)
    if path.suffix == ".svg":
        (drawing,) = re.findall(r"<svg\b[^>]*>", text)
        sizes = [f"{name}: {value}\n" for name, value in re.findall(r'\b(width|height|viewBox)="([^"]*)"', drawing)]
        return "".join(sizes)
    if path.suffix == ".json":
        return json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    return text


def _rows(path: Path) -> str:
    from pyarrow import parquet

    table = parquet.read_table(path)
    metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
    metadata.pop("ARROW:schema", None)
    columns = ", ".join(f"{one.name}: {one.type}" for one in table.schema)
    rows = "".join(f"{row!r}\n" for row in table.to_pylist())
    return f"columns {columns}\nmetadata {json.dumps(metadata, sort_keys=True)}\n{rows}"
