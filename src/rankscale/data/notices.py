"""Notices: what a user should know about a result, as data, and the one place where they become sentences.

A notice has a kind and fields. Python and the command line spell options differently (`missing='zero'`, `--missing
zero`), so the sentence is made when it is shown, by `render` with a spelling; nothing ever parses a sentence.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from rankscale.data.names import SHOWN_NAMES, listed
from rankscale.errors import Spelling, Wording, in_python, worded

MERGED = {"max": "the highest", "min": "the lowest", "mean": "the mean"}  # which of several grades is taken
SUBTOPICS = "sub-topics"  # the kind of a notice that says what the second column of qrels was taken for
OF_TOPICS = {"topics": "of_topics([...])", "topic": "topics=[...]"}  # in Python, which has no such options


Key = TypeVar("Key")
Value = TypeVar("Value")


@dataclass(frozen=True)
class Notice:
    """One thing a user should know.

    >>> Notice.of("unknown topics", where="bm25", qrels="qrels.txt", count=2)["count"]
    2
    """

    kind: str
    fields: tuple[tuple[str, object], ...]

    @classmethod
    def of(cls, kind: str, **fields: object) -> "Notice":
        """A notice from its fields by name."""
        return cls(kind, tuple(fields.items()))

    def within(self, collection: str) -> "Notice":
        """The same notice about one of several collections, which its sentence names first."""
        return Notice(self.kind, (*self.fields, ("collection", collection)))

    def __getitem__(self, name: str) -> object:
        return dict(self.fields)[name]


class Noticed:
    """A result that carries notices."""

    notices: tuple[Notice, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notices as sentences, options spelled as in Python."""
        return tuple(map(render, self.notices))


def is_warning(notice: Notice) -> bool:
    """Whether a notice is about something unusual, rather than what a file was taken for."""
    return notice.kind not in {"form", "aspects", "read as", SUBTOPICS}


def by_key(pairs: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """The values of each key, both in the order in which they first come."""
    groups: dict[Key, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def notes(texts: Iterable[Wording], kind: str = "note") -> tuple[Notice, ...]:
    """Notices that are sentences already, one for each text."""
    return tuple(Notice.of(kind, text=text) for text in texts)


def render(notice: Notice, spelling: Spelling = in_python) -> str:
    """The sentence of a notice.

    >>> from rankscale.errors import on_command_line
    >>> missing = Notice.of("missing topics", where="bm25", qrels="qrels.txt", topics=("301",), of=50, rule="skip")
    >>> print(render(missing, on_command_line))
    1 of 50 topics in qrels.txt is missing from bm25 (301) and left out of its means; --missing zero counts it as empty
    >>> render(Notice.of("note", text="low is good for ASL").within("TREC-8"))
    'TREC-8: low is good for ASL'
    """
    fields: dict[str, object] = dict(notice.fields)
    text = _sentence(notice, fields, spelling)
    return f"{fields['collection']}: {text}" if "collection" in fields else text


def _sentence(notice: Notice, fields: dict[str, object], spelling: Spelling) -> str:
    if notice.kind == "unknown topics":
        count = "1 topic" if fields["count"] == 1 else f"{fields['count']} topics"
        return f"{count} of {fields['where']} not in {fields['qrels']}, left out"
    if notice.kind in PLAIN:
        return PLAIN[notice.kind](fields)
    if notice.kind == SUBTOPICS:
        named = fields.get("what", "sub-topics")
        return f"{fields['measures']}: {fields['column']} of {fields['source']} names {named}"
    if notice.kind == "aspects":
        count = "1 document is" if fields["documents"] == 1 else f"{fields['documents']} documents are"
        return (
            f"{fields['source']}: {count} judged for several sub-topics, or by several assessors; measures that take "
            f"one grade take {MERGED[str(fields.get('merge', 'max'))]}"
        )
    if notice.kind in SPELLED:
        return SPELLED[notice.kind](fields, spelling)
    text = fields["text"]
    return worded(text if isinstance(text, tuple) else (text,), spelling)


FORM_WORDS = {
    "msmarco": "an MS MARCO run",
    "columns": "columns",
    "csv": "CSV",
    "tsv": "TSV",
    "jsonl": "JSON Lines",
    "json": "JSON",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "ranx": "a file of ranx",
    "prefs": "preferences: topic, assessor, list, document, level",
}


def _form(fields: dict[str, object]) -> str:
    """What a file was taken for: its form, and the column of each role, by number where it has no name."""
    given = fields["columns"] if isinstance(fields["columns"], tuple) else ()
    columns = [(str(role), str(name)) for role, name in given]
    if columns and all(name.isdigit() for _, name in columns):  # columns without names
        columns = sorted(columns, key=lambda column: int(column[1]))
        if [name for _, name in columns] == [str(number + 1) for number in range(len(columns))]:
            columns = [(role, role) for role, _ in columns]
    taken = ", ".join(role if name in {"", role} else f"{role} in {name}" for role, name in columns)
    words = FORM_WORDS.get(str(fields["form"]), str(fields["form"]))
    return f"{fields['source']}: read as {words}" + (f": {taken}" if taken else "")


def _unknown_scale(fields: dict[str, object], spelling: Spelling) -> str:
    """Measures of values that were read, of which it is not known what their means are worth."""
    names = _texts(fields["measures"])
    if fields["why"] == "grades":
        given = spelling("levels", "0,1,2", python="levels=[0, 1, 2]")
        return f"{listed(names)}: the scale depends on the grades of the collection, which are not known; {given} says"
    return f"{listed(names)}: the scale is not known; {spelling('scale', 'interval')} or so says what it is"


def _drawn_ties(fields: dict[str, object], spelling: Spelling) -> str:
    """Values that rest on some of the orders of tied documents."""
    measures = _texts(fields["measures"])
    of = f"{fields['orders']} of the tied documents, for {fields['rankings']} of {fields['of']} rankings"
    more = spelling("tie_orders", "1000") + " draws more"
    if fields["rule"] == "range":
        return f"{listed(measures)}: lowest and highest value seen in {of}, not of all orders; {more}"
    error = f"standard error of the means of runs at most {fields['error']:.2g}"
    return f"{listed(measures)}: mean over {of}, {error}; {more}"


def _missing_topics(fields: dict[str, object], spelling: Spelling) -> str:
    topics = _texts(fields["topics"])
    number, named = _counted(fields, topics)
    one = number == 1
    verb, pronoun = ("is", "it") if one else ("are", "them")
    treated = {
        "zero": f"counted as {'an empty ranking' if one else 'empty rankings'}",
        "skip": f"left out of its means; {spelling('missing', 'zero')} counts {pronoun} as empty",
        "common": "left out for all runs",
        "zero and common": "counted both ways, as empty rankings and left out: a verdict stands only where both agree",
    }[str(fields["rule"])]
    count = f"{number} of {fields['of']} topics in {fields['qrels']} {verb}"
    return f"{count} missing from {fields['where']} ({named}) and {treated}"


def _counted(fields: dict[str, object], topics: list[str]) -> tuple[int, str]:
    """How many topics a notice is about, and the first of them; of blocks it has the number and the first few alone."""
    number = int(str(fields.get("number", len(topics))))
    more = ", ..." if number != len(topics) and len(topics) <= SHOWN_NAMES else ""
    return number, f"{listed(topics)}{more}"


def _missing_decide(fields: dict[str, object], spelling: Spelling) -> str:
    """A verdict of the gate that depends on how topics that a run lacks are counted."""
    topics, measures = _texts(fields["topics"]), _texts(fields["measures"])
    lacks = f"{fields['baseline']} or {fields['candidate']} lacks {len(topics)} of {fields['of']} topics"
    return (
        f"{listed(measures)}: {lacks} ({listed(topics)}), and the verdict depends on how they are counted, so that it "
        f"is inconclusive; evaluate complete runs, or decide with {spelling('missing', 'zero')} (empty rankings) or "
        f"{spelling('missing', 'common')} (without these topics)"
    )


def _zeros_decide(fields: dict[str, object], spelling: Spelling) -> str:
    """A verdict of the gate on values that do not tell missing topics from those with a value of 0."""
    topics, measures = _texts(fields["topics"]), _texts(fields["measures"])
    return (
        f"{listed(measures)}: {fields['baseline']} or {fields['candidate']} has values of 0 alone on {len(topics)} of "
        f"{fields['of']} topics ({listed(topics)}). The values do not say whether the runs lack these topics, and "
        f"without them the verdict would be another one; {spelling('missing', 'zero')} says that they count. "
        "Values in JSON or Parquet, and the runs themselves, tell which topics are missing"
    )


def _close_scores(fields: dict[str, object], spelling: Spelling) -> str:
    """Scores of a fused run that are told apart in double precision only."""
    return (
        f"{fields['count']} scores differ from the one above only beyond the 32 bits that trec_eval and rankscale "
        f"read, and so become ties; {spelling('scores', 'rank')} writes ranks in place of values"
    )


def _short_curves(fields: dict[str, object], spelling: Spelling) -> str:
    """Curves that end before the longest ranking does, because it is far longer than most."""
    return (
        f"curves end at rank {fields['depth']}, since most of {fields['rankings']} rankings are far shorter than the "
        f"longest; {spelling('depth', str(fields['longest']))} draws them further"
    )


def _length(fields: dict[str, object]) -> str:
    """Rankings that are shorter than the length of measures, or are cut there."""
    names = _texts(fields["measures"])
    runs, of = _texts(fields["runs"]), int(str(fields["of"]))
    which = "rankings" if len(runs) == of else f"rankings of {listed(runs)}"
    longest, depth = int(str(fields["longest"])), int(str(fields["depth"]))
    if longest < depth:
        documents = "1 document" if longest == 1 else f"{longest} documents"
        how = f"hold at most {documents}, and N is {depth}: {fields['instead']} reads them as they are"
    else:
        how = f"hold up to {longest} documents, and are cut at N = {depth}: {fields['instead']} reads all of them"
    return f"{listed(names)}: {which} {how}"


def _no_ideal(fields: dict[str, object], spelling: Spelling) -> str:
    """Topics on which not even the ideal ranking gains anything."""
    names, topics = _texts(fields["measures"]), _texts(fields["topics"])
    number, named = _counted(fields, topics)
    one = number == 1
    option, value = _texts(fields["option"])
    chosen = spelling(option, value, python=OF_TOPICS.get(option, ""))
    return (
        f"{listed(names)}: no document of {number} of {fields['of']} topics ({named}) gains anything, "
        f"so that {'its values are' if one else 'their values are'} 0 and lower all means; {chosen} can leave "
        f"{'it' if one else 'them'} out, {spelling('missing', 'skip')} does not"
    )


def _texts(value: object) -> list[str]:
    return [str(one) for one in value] if isinstance(value, tuple) else []


PLAIN: Mapping[str, Callable[[dict[str, object]], str]] = {"form": _form, "length": _length}  # those that name none
SPELLED: Mapping[str, Callable[[dict[str, object], Spelling], str]] = {  # by kind, where a sentence names an option
    "missing topics": _missing_topics,
    "missing topics decide": _missing_decide,
    "topics of 0 decide": _zeros_decide,
    "drawn ties": _drawn_ties,
    "unknown scale": _unknown_scale,
    "close scores": _close_scores,
    "short curves": _short_curves,
    "no ideal": _no_ideal,
}
