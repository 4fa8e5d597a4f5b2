"""The register: which class a measure's name stands for, in any case and in the words of other tools.

The other tools are ranx, BEIR, MTEB, torchmetrics and Elasticsearch; names of trec_eval are in `trec_names.py`.
Importing this imports no measure.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from rankscale.data.extensions import MEASURES, described, extensions, load
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.measures.base.register_table import ALIASES, CLASSES
from rankscale.measures.base.trec_names import BY_NAME, NICKNAMES, split

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

    from rankscale.measures.base.measure import Measure


HINT = "`rankscale measures` lists all of them"


@cache
def find(name: str) -> "type[Measure]":
    """The class of a measure, imported now; entry points are read only for a name that is not in the table.

    The exact name wins, then any case and names of other tools that stand for a measure without parameters.

    >>> find("MAP"), find("map"), find("RetrievalMAP")
    (<class 'rankscale.measures.ap.AP'>, <class 'rankscale.measures.ap.AP'>, <class 'rankscale.measures.ap.AP'>)
    """
    place = CLASSES.get(ALIASES.get(name, name))
    if place is not None:
        module, _, kind = place.partition(":")
        measure: type[Measure] = getattr(import_module(module), kind)
        return measure
    of_others = _elsewhere()
    for entry_point in of_others:
        if entry_point.name == name:
            return _loaded(entry_point)
    elsewhere = [entry_point.name for entry_point in of_others if folded(entry_point.name) == folded(name)]
    meant = one_of(name, [*filter(None, [known_name(name)]), *elsewhere])
    if meant in CLASSES or meant in elsewhere:
        return find(meant)
    raise UnknownNameError("measure", name, [*NAMES, *ALIASES, *names()], HINT)  # of two spellings, the name


def _loaded(entry_point: "EntryPoint") -> "type[Measure]":
    from rankscale.measures.base.measure import Measure

    kind = load(entry_point)
    if not (isinstance(kind, type) and issubclass(kind, Measure)):
        raise InputError(f"{described(entry_point)} is no class built on rankscale.measures.base.measure.Measure")
    return kind


def names() -> tuple[str, ...]:
    """The names of all measures, those of other packages last."""
    elsewhere = {entry_point.name for entry_point in _elsewhere()}
    return (*CLASSES, *sorted(elsewhere - CLASSES.keys()))


def _elsewhere() -> "EntryPoints":
    """Measures of other packages."""
    return extensions(MEASURES)


NAMES: Mapping[str, str] = {  # theirs, in any case and with or without "retrieval" in front -> ours
    "average_precision": "AP",
    "mean_average_precision": "AP",
    "reciprocal_rank": "RR",
    "mean_reciprocal_rank": "RR",
    "expected_reciprocal_rank": "ERR",
    "r-precision": "Rprec",
    "f1": "F",
    "f1_score": "F",
    "hit_rate": "Success",
    "top_k_accuracy": "Success",
    "recall_cap": "RelP",
    "R_cap": "RelP",
    "fall_out": "Fallout",
    "discounted_cumulative_gain": "DCG",
    "normalized_DCG": "nDCG",
    "normalized_discounted_cumulative_gain": "nDCG",
    "dcg_burges": "DCG(gains='exp')",
    "ndcg_burges": "nDCG(gains='exp')",
    "rank_biased_precision": "RBP",
}
NO_COUNTERPART: Mapping[str, str] = {
    "hits": "hits@k of ranx is k times P@k: write P@k",
    "recallatfixedprecision": "it is of torchmetrics alone; R@k and P@k, or curves of them, come near",
    "precisionrecallcurve": "write `rankscale curves` with P and R, or `rankscale recall-precision`",
    "auroc": "Accuracy is the share of pairs of a relevant and another document that are in order",
}
D_SHARP = re.compile(r"^(\s*)D#[_-]?", re.IGNORECASE)  # D#-nDCG, as papers write it
HEAD = re.compile(r"\s*([A-Za-z][\w-]*(?: [A-Za-z][\w-]*)*)(.*)", re.DOTALL)  # the name, and what follows it
AT_DEPTH = re.compile(r"(.+?)[_-]at[_-]?(\d+)", re.IGNORECASE)  # ndcg_at_10, as MTEB writes it
LEVEL = re.compile(r"(.+)-l(\d+)\s*")  # map-l2, ndcg@10-l2: the lowest relevant grade, as ranx writes it
OF_RANX = re.compile(r"\s*rbp(?:[.@](\d+))?\s*")  # whose p is 0.95 in rbp.95 and in rbp@95
PART = re.compile(r"""[^,()\[\]{}'"]+|'[^']*'|"[^"]*"|.""", re.DOTALL)


def folded(name: str) -> str:
    """A name without what tools differ in: case, `_`, `-`, blanks, and "retrieval" in front.

    >>> folded("RetrievalNormalizedDCG"), folded("retrieval_normalized_dcg"), folded("R-Precision")
    ('normalizeddcg', 'normalizeddcg', 'rprecision')
    """
    return re.sub(r"[\s_-]", "", name).casefold().removeprefix("retrieval")


@cache
def _by_folded() -> Mapping[str, tuple[str, ...]]:
    """Ours by folded name: several where measures differ by no more than that."""
    ours: dict[str, dict[str, None]] = {}
    for spelling, name in [*((name, name) for name in CLASSES), *ALIASES.items(), *NAMES.items()]:
        ours.setdefault(folded(spelling), {})[name] = None
    return {name: tuple(several) for name, several in ours.items()}


def known_name(name: str) -> str | None:
    """What a name stands for here, parameters included; None where nothing does.

    The exact spelling of a measure or alias wins, then any case and the names of other tools.

    >>> known_name("NDCG"), known_name("hit_rate"), known_name("ndcg_burges"), known_name("nothing")
    ('nDCG', 'Success', "nDCG(gains='exp')", None)
    """
    exact = ALIASES.get(name, name)
    return exact if exact in CLASSES else one_of(name, _by_folded().get(folded(name), ()))


def one_of(name: str, candidates: Iterable[str]) -> str | None:
    """The only candidate, None where there is none; raise ParameterError where there are several."""
    several = list(dict.fromkeys(candidates))
    if len(several) > 1:
        raise ParameterError(f"{name!r} can mean {' or '.join(several)}: write one of these, in this case")
    return several[0] if several else None


def in_our_words(text: str) -> str:
    """A text that our parser reads: depths after `_at_`, names with a hyphen and those that give parameters replaced.

    Other names are left to the register, which knows them in any case, and refuses those that nobody knows.

    >>> [in_our_words(text) for text in ("ndcg_at_10", "r-precision", "ndcg_burges(rel=2)@5", "nDGC@10")]
    ['ndcg@10', 'Rprec', "nDCG(gains='exp',rel=2)@5", 'nDGC@10']
    """
    text = D_SHARP.sub(r"\1Dsharp_", text)
    if (match := HEAD.fullmatch(text)) is None:
        return text
    head, rest = match[1], match[2]
    if (at := AT_DEPTH.fullmatch(head)) and not rest.strip() and known_name(head) is None:
        head, rest = at[1], f"@{at[2]}"
    ours = known_name(head)
    if ours is None:
        if reason := NO_COUNTERPART.get(folded(head)):
            raise ParameterError(f"{head} is no measure here: {reason}")
        return text
    if head.isidentifier() and ours in CLASSES:  # left to the register: another package may have this very name
        return head + rest
    if rest.lstrip().startswith("(") and ours.endswith(")"):  # parameters of ours and those given
        return f"{ours[:-1]},{rest.lstrip()[1:]}"
    return ours + rest


def relevance_level(text: str) -> tuple[str, int | None]:
    """A text without ranx's lowest relevant grade at its end, and that grade.

    >>> relevance_level("ndcg@10-l2"), relevance_level("map")
    (('ndcg@10', 2), ('map', None))
    """
    match = LEVEL.fullmatch(text)
    return (match[1], int(match[2])) if match else (text, None)


def check_rbp(text: str) -> None:
    """Raise ParameterError for trec_eval's rbp and ranx's rbp.95 and rbp@95, which are other measures than RBP."""
    if match := OF_RANX.fullmatch(text):
        p = f"p=0.{match[1]}" if match[1] else "p=0.9"
        whose = "ranx, whose gain is the grade itself" if match[1] else "trec_eval 10, with the topic's highest grade"
        more = "" if match[1] else "; `rankscale trec_eval` knows trec_eval's"
        depth = f", RBP@{match[1]} for a depth" if "@" in text else more
        raise ParameterError(
            f"{text.strip()} is a measure of {whose}: write RBP({p}) for relevant or not, "
            f"gRBP({p}) for the grade over the highest{depth}"
        )


_LONGEST_FIRST = [(name, name.casefold()) for name in sorted((*BY_NAME, *NICKNAMES), key=len, reverse=True)]


def trec_in_case(text: str) -> str:
    """A name of trec_eval written in another case, as trec_eval writes it; any other text as it is.

    >>> trec_in_case("NDCG_CUT_10"), trec_in_case("Recip_Rank"), trec_in_case("nDCG@10")
    ('ndcg_cut_10', 'recip_rank', 'nDCG@10')
    """
    for name, lower in _LONGEST_FIRST:
        start, rest = text[: len(name)], text[len(name) :]
        if start.casefold() == lower and (not rest or split(name + rest)[0] is not None):
            return name + rest
    return text


def separated(text: str) -> list[str]:
    """The measures of a text that has several between commas; commas within a measure part nothing.

    >>> separated("AP,P@10"), separated("P.5,10,AP"), separated("nDCG(gains={1:3,2:9}),ndcg.1=3,2=9")
    (['AP', 'P@10'], ['P.5,10', 'AP'], ['nDCG(gains={1:3,2:9})', 'ndcg.1=3,2=9'])
    """
    texts = [""]
    for piece in _pieces(text):
        is_name = re.match(r"\s*([A-Za-z]|11pt_avg)", piece) is not None
        if not texts[-1] or not is_name:
            texts[-1] += f",{piece}" if texts[-1] else piece
        else:
            texts.append(piece)
    return texts if len(texts) == 1 else [one.strip() for one in texts]


def _pieces(text: str) -> Iterator[str]:
    """What stands between commas outside of brackets and quotes."""
    piece, open_brackets = "", 0
    for part in PART.findall(text):
        open_brackets += (part in "([{") - (part in ")]}") if len(part) == 1 else 0
        if part == "," and open_brackets == 0:
            yield piece
            piece = ""
        else:
            piece += part
    yield piece
