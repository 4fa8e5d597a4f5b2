"""Names of trec_eval, each with the measure here that it stands for.

Its input names carry parameters after a dot (`P.5,10`), its output names after an underscore (`P_5`, `P_10`); both are
read here. Importing this imports no measure.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from rankscale.errors import ParameterError

Parameters = Literal["none", "ints", "floats", "pairs", "free"]

CUTS = "5,10,15,20,30,100,200,500,1000"
RECALLS = "0,.1,.2,.3,.4,.5,.6,.7,.8,.9,1"
MULTIPLES = ".2,.4,.6,.8,1,1.2,1.4,1.6,1.8,2"
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)  # blanks and digits as C has them
WHOLE = re.compile(r"\s*[+-]?\d+", re.ASCII)
ORDERLESS = ("none", "pairs", "free")  # one value, whatever its parameters


@dataclass(frozen=True)
class TrecName:
    """One measure as trec_eval knows it.

    `ints` and `floats` are lists of which each item makes a measure of its own; `pairs` are gains, as in 1=3,2=9;
    `free` are numbers whose text becomes part of the printed name.
    """

    name: str
    measure: str | None  # ours without parameters, as text; None where only trec_eval has it
    parameters: Parameters = "none"
    template: str = ""  # ours with them: {} takes each number, the gains or the free numbers
    defaults: str = ""  # the parameters where none are given; pairs and free have none to show
    arrange: Callable[[Sequence[float]], list[str]] = lambda numbers: [*map(_number_text, numbers)]  # for the template
    whole: bool = False  # printed as a whole number
    per_topic: bool = True  # printed for each topic
    summary: bool = True  # printed for all topics
    since: int = 9  # the version of trec_eval that brought it


def _whole(name: str, measure: str, *, per_topic: bool = True) -> TrecName:
    return TrecName(name, measure, whole=True, per_topic=per_topic)


def _at(name: str, measure: str, defaults: str = CUTS) -> TrecName:
    return TrecName(name, None, "ints", f"{measure}@{{}}", defaults)


def _gained(name: str, measure: str, since: int = 9) -> TrecName:
    return TrecName(name, measure, "pairs", f"{measure}(gains={{}})", since=since)


def _theirs(name: str, parameters: Parameters = "none", defaults: str = "", since: int = 9) -> TrecName:
    return TrecName(name, None, parameters, defaults=defaults, since=since)


def _prices(numbers: Sequence[float]) -> list[str]:
    if len(numbers) != 4:
        raise ParameterError(f"trec_eval's utility takes four numbers, as in utility.1,-1,0,0, got {len(numbers)}")
    # Without -N, trec_eval has no documents in the collection.
    return [*map(_number_text, numbers), ",collection=0" if numbers[3] else ""]


def _squared_weight(numbers: Sequence[float]) -> list[str]:
    if numbers[0] < 0:
        raise ParameterError(f"trec_eval's set_F takes a number of 0 or more, got {numbers[0]:g}")
    return [_number_text(math.sqrt(numbers[0]))]  # set_F_x weighs recall by x, where others say beta squared


def _levels(numbers: Sequence[float]) -> list[str]:
    return [",".join(map(_number_text, numbers))]


_PREFERENCES = {  # in the order in which trec_eval prints them; ours have none of its defects, and other names
    "prefs_num_prefs_poss": "NumPrefs",
    "prefs_num_prefs_ful": "NumPrefsFul",
    "prefs_num_prefs_ful_ret": "NumPrefsFul(among='retrieved')",
    "prefs_simp": "Prefs",
    "prefs_pair": "PrefsPair",
    "prefs_avgjg": "PrefsGroup",
    "prefs_avgjg_Rnonrel": "PrefsBalanced",
    "prefs_simp_ret": "Prefs(among='retrieved')",
    "prefs_pair_ret": "PrefsPair(among='retrieved')",
    "prefs_avgjg_ret": "PrefsGroup(among='retrieved')",
    "prefs_avgjg_Rnonrel_ret": "PrefsBalanced(among='retrieved')",
    "prefs_simp_imp": "Prefs(among='seen')",
    "prefs_pair_imp": "PrefsPair(among='seen')",
    "prefs_avgjg_imp": "PrefsGroup(among='seen')",
}
PREFERENCES = tuple(_PREFERENCES)
ENTRIES: tuple[TrecName, ...] = (  # in the order in which trec_eval prints them
    TrecName("runid", None, per_topic=False),
    _whole("num_q", "NumQ", per_topic=False),
    _whole("num_ret", "NumRet"),
    _whole("num_rel", "NumRel"),
    _whole("num_rel_ret", "NumRelRet"),
    TrecName("map", "AP"),
    TrecName("gm_map", "GMAP", per_topic=False),
    TrecName("Rprec", "Rprec"),
    TrecName("bpref", "Bpref"),
    TrecName("recip_rank", "RR"),
    TrecName("iprec_at_recall", None, "floats", "IPrec@{}", RECALLS),
    _at("P", "P"),
    TrecName("relstring", None, "free", summary=False),
    _at("recall", "R"),
    TrecName("infAP", "infAP"),
    TrecName("gm_bpref", "GMBpref", per_topic=False),
    TrecName("Rprec_mult", None, "floats", "Rprec(multiple={})", MULTIPLES),
    TrecName("utility", "Utility", "free", "Utility(a={},b={},c={},d={}{})", arrange=_prices),
    TrecName("11pt_avg", "AP11", "free", "AP11(recalls=[{}])", arrange=_levels),
    TrecName("binG", "binG"),
    _gained("G", "G"),
    _gained("dcg", "DCG", since=10),
    _gained("ideal_dcg", "IDCG", since=10),
    _gained("ndcg", "nDCG"),
    _gained("ndcg_rel", "nDCGRel"),
    _gained("Rndcg", "Rndcg"),
    _at("ndcg_cut", "nDCG"),
    _at("map_cut", "AP"),
    _at("relative_P", "RelP"),
    _at("success", "Success", "1,5,10"),
    TrecName("set_P", "SetP"),
    TrecName("set_relative_P", "SetRelP"),
    TrecName("set_recall", "SetR"),
    TrecName("set_map", "SetAP"),
    TrecName("set_F", "SetF", "free", "SetF(beta={})", arrange=_squared_weight),
    _whole("num_nonrel_judged_ret", "NumNonRelJudgedRet"),
    *(TrecName(name, ours, whole=name.startswith("prefs_num")) for name, ours in _PREFERENCES.items()),
    TrecName("map_avgjg", "Groups(AP)"),
    TrecName("P_avgjg", None, "ints", "Groups(P)@{}", CUTS),
    TrecName("Rprec_mult_avgjg", None, "floats", "Groups(Rprec(multiple={}))", MULTIPLES),
    TrecName("yaap", "YAAP"),
    _theirs("rbp", "pairs", since=10),
    _theirs("rbp_resid", "pairs", since=10),
    _theirs("unj", "ints", "5,10,20", since=10),
)
BY_NAME = {entry.name: entry for entry in ENTRIES}
LONGEST_FIRST = sorted(BY_NAME, key=len, reverse=True)

JUDGMENT_GROUPS = ("map_avgjg", "P_avgjg", "Rprec_mult_avgjg")
_ON_REQUEST = ("dcg", "ideal_dcg", "yaap")
_ORDER = tuple(BY_NAME)
NICKNAMES: dict[str, tuple[str, ...]] = {
    "official": _ORDER[: _ORDER.index("P") + 1],
    "all_trec": tuple(name for name in _ORDER if name not in {*PREFERENCES, *JUDGMENT_GROUPS, *_ON_REQUEST}),
    "set": (
        *("runid", "num_q", "num_ret", "num_rel", "num_rel_ret", "utility"),
        *("set_P", "set_relative_P", "set_recall", "set_map", "set_F"),
    ),
    "all_prefs": ("runid", "num_q", *PREFERENCES),
    "prefs": ("runid", "num_q", *PREFERENCES[:6]),
    "qrels_jg": ("runid", "num_q", *JUDGMENT_GROUPS),
}


def expand(text: str) -> list[tuple[str, str]]:
    """The measures that a trec_eval name stands for: each as trec_eval prints it, and as our parser reads it.

    Of a nickname, what only trec_eval has is left out. A text that is no name of trec_eval's stands for nothing.

    >>> expand("P.10,5")
    [('P_5', 'P@5'), ('P_10', 'P@10')]
    >>> expand("ndcg_1=3,2=9")
    [('ndcg_1=3,2=9', 'nDCG(gains={1:3,2:9})')]
    >>> expand("nDCG@10")
    []
    """
    if text in NICKNAMES:
        return [pair for name in NICKNAMES[text] for pair in _expanded(BY_NAME[name], "")]
    entry, parameters = split(text)
    if entry is None:
        return []
    if entry.measure is None and not entry.template:
        raise ParameterError(f"{entry.name} is no measure here, but trec_eval's own: `rankscale trec_eval` knows it")
    return _expanded(entry, parameters)


def split(text: str) -> tuple[TrecName | None, str]:
    """The measure that a text names, None if trec_eval has no such name, and its parameters.

    >>> split("iprec_at_recall..10,.20")[1], split("ndcg_cut_10")[1]
    ('.10,.20', '10')
    """
    name, _, parameters = text.partition(".")
    if name in BY_NAME:
        return BY_NAME[name], parameters
    for name in LONGEST_FIRST:  # ndcg_cut_10 is of ndcg_cut, not of ndcg
        rest = text.removeprefix(f"{name}_")
        if rest != text and re.match(r"[+-]?\.?\d", rest) and BY_NAME[name].parameters != "none":
            return BY_NAME[name], rest
    return None, ""


def _expanded(entry: TrecName, parameters: str) -> list[tuple[str, str]]:
    if parameters and entry.parameters == "none":
        raise ParameterError(f"trec_eval's {entry.name} takes no parameters, got {parameters!r}")
    if not parameters and entry.parameters in ORDERLESS:
        return [(entry.name, entry.measure)] if entry.measure else []
    if not entry.template:
        return []
    match entry.parameters:
        case "ints":
            return [(f"{entry.name}_{n}", entry.template.format(n)) for n in _whole_numbers(entry, parameters)]
        case "floats":
            numbers = _ascending(entry, _numbers(entry, parameters or entry.defaults))
            return [(f"{entry.name}_{n:3.2f}", entry.template.format(_number_text(n))) for n in numbers]
        case "pairs":
            values = [_gains(entry, parameters)]
        case _:
            values = entry.arrange(_numbers(entry, parameters))
    return [(f"{entry.name}_{parameters}", entry.template.format(*values))]


def _whole_numbers(entry: TrecName, parameters: str) -> list[int]:
    """Read as C's atol does: 23.4 is 23."""
    matches = [WHOLE.match(text) for text in (parameters or entry.defaults).split(",")]
    numbers = [int(number[0]) if number else 0 for number in matches]
    if min(numbers) < 1:
        example = f"{entry.name}.5,10"
        raise ParameterError(f"trec_eval's {entry.name} takes whole numbers from 1, as in {example}; got {parameters}")
    return [int(number) for number in _ascending(entry, numbers)]


def _numbers(entry: TrecName, parameters: str) -> list[float]:
    """Read as C's atof does, but text that does not begin as a number is refused."""
    matches = [NUMBER.match(text) for text in parameters.split(",")]
    numbers = [float(number[0]) for number in matches if number]
    if len(numbers) < len(matches):
        raise ParameterError(f"trec_eval's {entry.name} takes numbers between commas, got {parameters!r}")
    return numbers


def _ascending(entry: TrecName, numbers: Sequence[float]) -> Sequence[float]:
    if len(set(numbers)) < len(numbers):
        raise ParameterError(f"trec_eval's {entry.name} takes each number once, got {_levels(numbers)[0]}")
    return sorted(numbers)


def _gains(entry: TrecName, parameters: str) -> str:
    pairs = [re.fullmatch(r"([+-]?\d+)=(.+)", pair) for pair in parameters.split(",")]
    if not all(pairs):
        raise ParameterError(f"trec_eval's {entry.name} takes gains of grades, as in 1=3,2=9, got {parameters!r}")
    gains = {int(pair[1]): _numbers(entry, pair[2])[0] for pair in pairs if pair}
    # Documents that are not in the qrels gain nothing in trec_eval, whatever grade 0 costs.
    unjudged = ",unjudged=0" if gains.get(0, 0) < 0 and entry.name == "ndcg" else ""
    return "{" + ",".join(f"{grade}:{_number_text(gain)}" for grade, gain in gains.items()) + "}" + unjudged


def _number_text(number: float) -> str:
    """The number as text, whole ones without a decimal point."""
    return repr(int(number) if float(number).is_integer() else number)
