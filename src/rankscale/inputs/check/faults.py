"""Every error of a run file that cannot be read: line by line, the first few of each kind, and how many there are."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from rankscale.inputs.check.columns import COLUMNS, RANK, SCORE

SHOWN = 20  # errors of a kind that are listed
TWICE = "document twice"
EXPECTED = "expected: topic Q0 document rank score tag"
SWAPPED = (
    "the third column, which names the document, is {value} in every line, and the second varies: the two seem to be "
    "swapped; expected: topic Q0 document rank score tag\nto read the file as it is, say where the columns are: "
    "--columns topic=1,document=2,score=5 (columns= in Python)"
)
NUMBER = re.compile(rb"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf(?:inity)?|nan)", re.IGNORECASE)
ITERATIONS = {b"Q0", b"q0", b"0"}  # the second column of runs and qrels, as nearly everybody writes it
LONGEST = 60  # characters of a field that are shown
KINDS = (  # of what the reader of other forms says, by its words
    (TWICE, "stands a second time"),
    ("score", "expected a number as score"),
    ("rank", "expected a number as rank"),
    ("columns", r"expected .*columns?\b.*, found"),
)


@dataclass
class Faults:
    """Errors by kind, in the order in which kinds first appear."""

    source: str
    listed: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    lines: int = 0  # looked at, without comments and empty ones

    def add(self, kind: str, line: int, words: str) -> None:
        """Count an error, and list it if it is one of the first of its kind; `words` start after the line's number."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if self.counts[kind] <= SHOWN:
            self.listed.setdefault(kind, []).append(f"{self.source}, line {line}{words}")

    def replace(self, kind: str, by: str, text: str) -> None:
        """One error in place of all of a kind, if there are any."""
        self.listed.pop(kind, None)
        self.counts.pop(kind, None)
        self.listed[by], self.counts[by] = [text], 1

    def texts(self) -> list[tuple[str, str]]:
        """Kind and text of each error listed, and of how many more there are."""
        return [
            (kind, text)
            for kind, texts in self.listed.items()
            for text in (*texts, *_more(self.source, kind, self.counts[kind] - len(texts)))
        ]


def _more(source: str, kind: str, count: int) -> list[str]:
    return [f"{source}: {count} more {'error' if count == 1 else 'errors'} of this kind ({kind})"] if count else []


def faults_of(source: str, blocks: Iterable[bytes], *, ranks: bool = False, repeats_are_wrong: bool = True) -> Faults:
    r"""All errors of the lines of a run; with `ranks` the rank column has to hold numbers, too.

    >>> faults_of("run.txt", [b"1 Q0 a 1 high x\n1 Q0 b\n"]).texts()[1]
    ('columns', 'run.txt, line 2: expected: topic Q0 document rank score tag, found 3 columns')
    """
    faults, number = Faults(source), 0
    first: dict[tuple[bytes, bytes], int] = {}
    second, third = _Constant(), _Constant()
    for block in blocks:
        for number, line in enumerate(block.removesuffix(b"\n").split(b"\n"), start=number + 1):  # noqa: B020
            fields = line.split(None, COLUMNS - 1)
            if not fields or fields[0].startswith(b"#"):
                continue
            faults.lines += 1
            if b"\x00" in line:
                faults.add("NUL byte", number, ": expected text, found a NUL byte")
            elif len(fields) < COLUMNS:
                found = f"{len(fields)} column{'s' * (len(fields) != 1)}"
                faults.add("columns", number, f": {EXPECTED}, found {found}")
            else:
                second.add(fields[1])
                third.add(fields[2])
                _check_numbers(faults, number, fields, ranks=ranks)
                if repeats_are_wrong:
                    _check_repeat(faults, number, fields, first)
    if third.same is not None and second.same is None and (TWICE in faults.counts or third.same in ITERATIONS):
        faults.replace(TWICE, "columns swapped", f"{source}: {SWAPPED.format(value=third.words)}")
    return faults


class _Constant:
    """The value of a column, as long as all lines have the same; Q0, q0 and 0 are the same here."""

    def __init__(self) -> None:
        self.same: bytes | None = None
        self._values: set[bytes] = set()  # one, or spellings of Q0; none once lines differ
        self._is_empty = True

    def add(self, value: bytes) -> None:
        """Look at one line."""
        if self._is_empty:
            self.same, self._values, self._is_empty = value, {value}, False
        elif value != self.same and self.same is not None:
            self._values = {*self._values, value} if {value, self.same} <= ITERATIONS else set()
            self.same = self.same if self._values else None

    @property
    def words(self) -> str:
        """The value, or its spellings."""
        return " or ".join(map(_shown, sorted(self._values, reverse=True)))


def _check_numbers(faults: Faults, number: int, fields: list[bytes], *, ranks: bool) -> None:
    rank, score = fields[RANK], fields[SCORE]
    if not is_number(score):
        faults.add("score", number, f": expected a number as score, found {_shown(score)}")
    if ranks and not is_number(rank):
        faults.add("rank", number, f": expected a number as rank, found {_shown(rank)}")


def _check_repeat(faults: Faults, number: int, fields: list[bytes], first: dict[tuple[bytes, bytes], int]) -> None:
    """Whether the document of a line stands in the topic already; `first` has the line of each so far."""
    topic, document = fields[0], fields[2]
    before = first.setdefault((topic, document), number)
    if before != number:
        where = f"in topic {_shown(topic)} (first in line {before})"
        faults.add(TWICE, number, f": document {_shown(document)} stands a second time {where}")


def kind_of_error(error: str) -> str:
    """A few words for what the reader says."""
    first = error.partition("\n")[0]
    return next((kind for kind, words in KINDS if re.search(words, first)), "unreadable")


def is_number(text: bytes) -> bool:
    """Whether a text is a number, as the reader of runs takes them."""
    return NUMBER.fullmatch(text) is not None and not math.isnan(float(text))


def _shown(text: bytes) -> str:
    words = text.decode("utf-8", "replace")
    return words if len(words) <= LONGEST else f"{words[:LONGEST]}..."
