"""Methods of fusion: the value of each document from the ranks or the normalised scores that runs give it.

Norms make scores of several runs comparable before they are fused. Each takes the rankings of a topic and returns
(run, document) numbers, NaN where a run does not retrieve the document. Where all scores of a ranking are equal, those
that divide by their spread give 0.
"""

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.names import listed
from rankscale.errors import InputError, ParameterError, UnknownNameError
from rankscale.inputs.rankings import TopicLists

MOST_FOR_CONDORCET = 5000  # documents of a topic: all pairs are looked at
EPSILON = 2.0**-52  # the step between doubles from 1 on
STEPS = 1e12  # that fused values are rounded to, from 0 to the largest absolute one of a topic
BLOCK = 256  # of these documents that are compared with all others at once
WRITTEN = re.compile(r"\s*([\w-]+)\s*(?:\((.*)\))?\s*", re.DOTALL)
DEFAULT_NORM = "min-max"


@dataclass(frozen=True, eq=False)
class Normalised:
    """The numbers that are fused, and of how many rankings all scores were equal."""

    values: Floats  # (run, document); NaN where a run gives the document nothing
    constant: int = 0


def min_max(lists: TopicLists) -> Floats:
    """(s - min) / (max - min)."""
    least, most = _ends(lists.score)
    return _ratio(lists.score - least, most - least, least == most)


def by_max(lists: TopicLists) -> Floats:
    """S / max; raise InputError where the highest score is not above 0."""
    _, most = _ends(lists.score)
    for run, highest in zip(lists.runs, most[:, 0].tolist(), strict=True):
        if highest <= 0:
            raise InputError(
                f"run {run}, topic {lists.topic}: norm 'max' divides by the highest score, which must be above 0, and "
                f"it is {highest:g}; take another norm, such as min-max"
            )
    return lists.score / most


def by_sum(lists: TopicLists) -> Floats:
    """(s - min) / sum of (s - min)."""
    least, most = _ends(lists.score)
    above = lists.score - least
    return _ratio(above, _row_sums(above), least == most)


def zmuv(lists: TopicLists) -> Floats:
    """(s - mean) / standard deviation with n: zero mean, unit variance."""
    least, most = _ends(lists.score)
    count = np.count_nonzero(lists.rank, axis=1)[:, None]
    from_mean = lists.score - _row_sums(lists.score) / count
    return _ratio(from_mean, np.sqrt(_row_sums(from_mean**2) / count), least == most)


def by_rank(lists: TopicLists) -> Floats:
    """1 - (r - 1) / n for a ranking of n documents."""
    return _below_one(lists, np.count_nonzero(lists.rank, axis=1)[:, None])


def borda(lists: TopicLists) -> Floats:
    """1 - (r - 1) / c for c documents in all; missing ones get the mean of the places left, and count as retrieved."""
    every = len(lists.documents)
    retrieved = np.count_nonzero(lists.rank, axis=1)[:, None]
    return np.where(lists.rank > 0, _below_one(lists, every), 0.5 - (retrieved - 1) / (2 * every))


NORMS: Mapping[str, Callable[[TopicLists], Floats]] = {
    "min-max": min_max,
    "max": by_max,
    "sum": by_sum,
    "zmuv": zmuv,
    "rank": by_rank,
    "borda": borda,
    "none": lambda lists: lists.score,
}
NORMS_OF_RANKS = ("rank", "borda")  # norms that do not look at scores
ZERO_IF_EQUAL = ("min-max", "sum")  # norms that leave nothing of rankings whose scores are all equal


def check_norm(name: str) -> str:
    """The name of a norm as it is written here; UnknownNameError for any other.

    >>> check_norm("Min-Max")
    'min-max'
    """
    norm = {one.replace("-", ""): one for one in NORMS}.get(str(name).casefold().replace("-", "").replace("_", ""))
    if norm is None:
        raise UnknownNameError("norm", name, NORMS, f"there are {', '.join(NORMS)}")
    return norm


def normalised(lists: TopicLists, norm: str) -> Normalised:
    """The numbers that a norm makes of scores; raise InputError for infinite scores, and for numbers too large."""
    if norm in NORMS_OF_RANKS:
        return Normalised(NORMS[norm](lists))
    infinite = np.isinf(lists.score)
    if infinite.any():
        run, document = np.argwhere(infinite)[0].tolist()
        raise InputError(
            f"run {lists.runs[run]}, topic {lists.topic}: document {lists.documents[document]} has the score "
            f"{lists.score[run, document]:g}, and infinite scores cannot be added; take a method of ranks, such as RRF"
        )
    with np.errstate(over="ignore", invalid="ignore"):
        values = NORMS[norm](lists)
    odd = ~np.isfinite(values) & (lists.rank > 0)
    if odd.any():
        run = lists.runs[int(np.flatnonzero(odd.any(axis=1))[0])]
        raise InputError(
            f"run {run}, topic {lists.topic}: scores are too large for norm {norm!r}; take one of ranks, such as rank"
        )
    least, most = _ends(lists.score)
    return Normalised(values, int(np.count_nonzero(least == most)) if norm in ZERO_IF_EQUAL else 0)


def _ends(score: Floats) -> tuple[Floats, Floats]:
    """(run, 1): lowest and highest score."""
    return np.nanmin(score, axis=1, keepdims=True), np.nanmax(score, axis=1, keepdims=True)


def _row_sums(table: Floats) -> Floats:
    """(run, 1): correctly rounded sums of what is there."""
    return np.array([[math.fsum(row[~np.isnan(row)].tolist())] for row in table])


def _ratio(above: Floats, below: Floats, equal: Bools) -> Floats:
    """The ratio, 0 where all scores of a ranking are equal."""
    return np.where(equal, 0.0 * above, above / np.where(equal, 1.0, below))


def _below_one(lists: TopicLists, of: object) -> Floats:
    fallen: Floats = 1 - (lists.rank - 1) / np.asarray(of)
    return np.where(lists.rank > 0, fallen, np.nan)


# Of normalised scores (run, document), NaN where a run gives the document nothing.


def comb_mnz(z: Floats) -> Floats:
    """Sum of z, times the number of runs that retrieve the document."""
    return _number(z) * exact_sums(z)


def comb_anz(z: Floats) -> Floats:
    """Sum of z over the number of runs that retrieve the document."""
    return exact_sums(z) / _number(z)


def comb_med(z: Floats) -> Floats:
    """Median of z, of runs that retrieve the document; of an even number the mean of the middle two."""
    ascending, number = np.sort(z, axis=0), _number(z)  # NaN last
    lower, upper = (np.take_along_axis(ascending, place[None], axis=0)[0] for place in ((number - 1) // 2, number // 2))
    median: Floats = (lower + upper) / 2
    return median


def w_sum(z: Floats, weights: Sequence[float]) -> Floats:
    """Sum of weight times z."""
    return exact_sums(np.asarray(weights)[:, None] * z)


# Of ranks (run, document), NaN where a run does not retrieve the document.


def rrf(rank: Floats, k: float = 60) -> Floats:
    """Reciprocal rank fusion: sum of 1 / (k + rank)."""
    return exact_sums(1 / (k + rank))


def isr(rank: Floats) -> Floats:
    """Inverse square ranks: sum of 1 / rank², times the number of runs that retrieve the document."""
    return _number(rank) * exact_sums(1 / rank**2)


def log_isr(rank: Floats) -> Floats:
    """Sum of 1 / rank², times ln of the number of runs that retrieve the document: 0 if that is one."""
    return np.log(_number(rank)) * exact_sums(1 / rank**2)


def log_n_isr(rank: Floats, sigma: float = 0.01) -> Floats:
    """Sum of 1 / rank², times ln of sigma and the number of runs that retrieve the document."""
    values: Floats = np.log(_number(rank) + sigma) * exact_sums(1 / rank**2)
    return values


def rbc(rank: Floats, phi: float = 0.8) -> Floats:
    """Rank-biased centroids: sum of (1 - phi) phi^(rank - 1)."""
    return exact_sums((1 - phi) * phi ** (rank - 1))


def borda_count(rank: Floats) -> Floats:
    """Sum of c - rank + 1 for c documents in all; a run that lacks the document gives the mean of the places left."""
    every = rank.shape[1]
    retrieved = _number(rank.T)[:, None]
    return exact_sums(np.where(np.isnan(rank), (every - retrieved + 1) / 2, every - rank + 1))


def condorcet(rank: Floats) -> Floats:
    """Documents beaten by a majority of runs, and half of those that it is even with (Copeland)."""
    every = rank.shape[1]
    place = np.where(np.isnan(rank), every + 1, rank).astype(np.int32)
    value = np.empty(every)
    for start in range(0, every, BLOCK):
        votes = np.zeros((min(BLOCK, every - start), every), dtype=np.int32)
        for of_run in place:
            own, others = of_run[start : start + BLOCK, None], of_run[None, :]
            votes += (own < others).astype(np.int8) - (own > others).astype(np.int8)
        ties = np.count_nonzero(votes == 0, axis=1) - 1  # without itself
        value[start : start + BLOCK] = np.count_nonzero(votes > 0, axis=1) + ties / 2
    return value


def exact_sums(addends: Floats) -> Floats:
    """(document,): correctly rounded sums over runs, so that the order of runs does not matter; NaN adds nothing.

    >>> exact_sums(np.array([[1e16, 1.0], [1.0, np.nan], [-1e16, 0.5]]))
    array([1. , 1.5])
    """
    there = np.where(np.isnan(addends), 0.0, addends)
    total, lost, doubt = (np.zeros(there.shape[1]) for _ in range(3))
    with np.errstate(invalid="ignore"):  # where a sum is infinite
        for addend in there:
            total, error = _two_sum(total, addend)
            lost, error = _two_sum(lost, error)
            doubt += np.abs(error)
    low, high = total + lost, total + lost  # the sum, where nothing more was lost
    some = doubt > 0
    wide = doubt[some] * (1 + len(there) * EPSILON)
    low[some] = total[some] + np.nextafter(lost[some] - wide, -np.inf)
    high[some] = total[some] + np.nextafter(lost[some] + wide, np.inf)
    unclear = np.flatnonzero((low != high) | ~np.isfinite(total))
    low[unclear] = [_sum(column) for column in there[:, unclear].T.tolist()]
    return low


def without_rounding(values: Floats) -> Floats:
    """(document,): values equal to 1e-12 of the largest absolute one become the highest of them, so that they tie.

    >>> without_rounding(np.array([1.2, 0.5, 1.2000000000000002])).tolist()
    [1.2000000000000002, 0.5, 1.2000000000000002]
    """
    largest = np.abs(values).max(initial=0.0)
    if not largest:
        return values
    descending = np.argsort(-values)
    steps = np.rint(values[descending] / largest * STEPS)
    is_first = np.append(True, steps[1:] != steps[:-1])
    made = np.empty_like(values)
    made[descending] = values[descending[np.flatnonzero(is_first)[np.cumsum(is_first) - 1]]]
    return made


def _two_sum(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """The rounded sum, and what rounding lost, exactly (Knuth)."""
    total = a + b
    part = total - a
    lost: Floats = (a - (total - part)) + (b - part)
    return total, lost


def _sum(numbers: Sequence[float]) -> float:
    """Correctly rounded; infinite where a sum on the way is, which the caller refuses."""
    try:
        return math.fsum(numbers)
    except OverflowError:
        return math.inf


def _number(table: Floats) -> Ints:
    """(document,): how many runs give it something."""
    number: Ints = np.count_nonzero(~np.isnan(table), axis=0)
    return number


OF_SCORES: Mapping[str, Callable[..., Floats]] = {
    "CombSUM": exact_sums,
    "CombMNZ": comb_mnz,
    "CombANZ": comb_anz,
    "CombMAX": lambda z: np.nanmax(z, axis=0),
    "CombMIN": lambda z: np.nanmin(z, axis=0),
    "CombMED": comb_med,
    "WSum": w_sum,
}
OF_RANKS: Mapping[str, Callable[..., Floats]] = {
    "RRF": rrf,
    "ISR": isr,
    "logISR": log_isr,
    "logNISR": log_n_isr,
    "RBC": rbc,
    "Borda": borda_count,
    "Condorcet": condorcet,
}
METHODS = {**OF_SCORES, **OF_RANKS}
LIMITS: Mapping[str, tuple[str, Callable[[float], bool]]] = {
    "k": ("a number from 0", lambda k: k >= 0),
    "sigma": ("a number above 0", lambda sigma: sigma > 0),
    "phi": ("a number between 0 and 1, exclusive", lambda phi: 0 < phi < 1),
}


@dataclass(frozen=True)
class Method:
    """A method with its parameters, as `RRF(k=10)`.

    >>> str(Method.of("rrf")), str(Method.of("RBC(phi=0.5)")), Method.of("combsum").norm
    ('RRF', 'RBC(phi=0.5)', 'min-max')
    """

    name: str
    norm: str | None = None  # of methods of scores
    parameters: tuple[tuple[str, float], ...] = ()  # those that are not the defaults
    weights: tuple[float, ...] | None = None  # of WSum, one for each run

    @classmethod
    def of(cls, text: str, norm: str | None = None, weights: Sequence[float] | None = None) -> "Method":
        """The method that a text names, in any case of letters; ParameterError for parameters that it cannot take."""
        match = WRITTEN.fullmatch(str(text))
        given = match[1] if match else str(text)
        name = {one.casefold(): one for one in METHODS}.get(given.casefold())
        if name is None or match is None:
            raise UnknownNameError("method of fusion", given, METHODS, f"there are {', '.join(METHODS)}")
        checked = DEFAULT_NORM if norm is None else check_norm(norm)
        made = cls(name, checked if name in OF_SCORES else None, _parameters(name, match[2] or ""))
        return made if weights is None else made.weighted(weights)

    @property
    def of_scores(self) -> bool:
        """Whether it fuses normalised scores, rather than ranks."""
        return self.name in OF_SCORES

    def weighted(self, weights: Sequence[float]) -> "Method":
        """The same with weights, one for each run; ParameterError for a method that takes none."""
        if self.name != "WSum":
            raise ParameterError(f"{self.name} takes no weights: WSum does")
        return replace(self, weights=tuple(float(weight) for weight in weights))

    def with_parameter(self, name: str, value: object) -> "Method":
        """The same with another value of a parameter; `weights` are one."""
        if name == "weights":
            return self.weighted(value)  # type: ignore[arg-type]  # as a grid has them
        number = float(value)  # type: ignore[arg-type]
        return replace(self, parameters=_parameters(self.name, f"{name}={number!r}"))

    def check_runs(self, runs: Sequence[str]) -> None:
        """Raise ParameterError where WSum has no weights, or not one for each run."""
        if self.name != "WSum":
            return
        if self.weights is None:
            raise ParameterError(
                f"WSum needs weights, one for each run ({listed(list(runs))}), such as weights 0.5,0.5; or tune them"
            )
        if len(self.weights) != len(runs):
            raise ParameterError(
                f"weights: there are {len(self.weights)} for {len(runs)} runs ({listed(list(runs))}); give one for each"
            )
        if not all(map(math.isfinite, self.weights)) or not any(self.weights):
            raise ParameterError(f"weights must be finite numbers, not all 0, got {_numbers(self.weights)}")

    def prepare(self, lists: TopicLists) -> Normalised:
        """What the method fuses: normalised scores, or ranks."""
        if self.of_scores:
            return normalised(lists, self.norm or DEFAULT_NORM)
        if self.name == "Condorcet" and len(lists.documents) > MOST_FOR_CONDORCET:
            raise InputError(
                f"topic {lists.topic}: Condorcet compares each two documents, at most {MOST_FOR_CONDORCET:,}, and the "
                f"runs retrieve {len(lists.documents):,}; cut them first, as convert --depth does, or take RRF or Borda"
            )
        return Normalised(np.where(lists.rank > 0, lists.rank.astype(np.float64), np.nan))

    def values(self, lists: TopicLists, prepared: Normalised | None = None) -> Floats:
        """(document,): the fused value of each document of a topic; values that only rounding sets apart are equal."""
        held = prepared or self.prepare(lists)
        given = {} if self.weights is None else {"weights": np.array(self.weights)[lists.places]}
        with np.errstate(over="ignore"):
            values = METHODS[self.name](held.values, **dict(self.parameters), **given)
        if not np.isfinite(values).all():
            raise InputError(f"topic {lists.topic}: {self} adds up to more than a number can hold; take smaller scores")
        return without_rounding(values)

    def __str__(self) -> str:
        given = [f"{name}={_number_text(value)}" for name, value in self.parameters]
        given += [] if self.weights is None else [f"weights={_numbers(self.weights)}"]
        return f"{self.name}({','.join(given)})" if given else self.name


def _parameters(name: str, text: str) -> tuple[tuple[str, float], ...]:
    """The parameters of a method that a text gives, without those that have their default."""
    arguments = inspect.signature(METHODS[name]).parameters
    known = [one for one in arguments if one in LIMITS]
    taken = f"it takes {', '.join(known)}" if known else "it takes none"
    given: dict[str, float] = {}
    for part in filter(str.strip, text.split(",")):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals and len(known) == 1:
            key, value = known[0], key
        if key not in known or key in given:
            raise ParameterError(f"{name}: {part.strip()!r} is no parameter of it; {taken}")
        given[key] = _checked(name, key, value)
    return tuple((key, value) for key, value in given.items() if value != arguments[key].default)


def _checked(name: str, key: str, text: str) -> float:
    words, holds = LIMITS[key]
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value) or not holds(value):
        raise ParameterError(f"{name}: {key} must be {words}, got {text}")
    return value


def _numbers(numbers: Sequence[float]) -> str:
    return ",".join(map(_number_text, numbers))


def _number_text(number: float) -> str:
    """A number with all its digits, whole ones without a point."""
    return repr(number).removesuffix(".0")
