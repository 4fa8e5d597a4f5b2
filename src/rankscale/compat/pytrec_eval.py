"""pytrec_eval by rankscale: `from rankscale.compat import pytrec_eval` instead of `import pytrec_eval`.

Names, keys and values are those of pytrec_eval-terrier 0.5.11, to the last bit (`set_F.2`, with a weight,
to the last but one); values of a topic are those of trec_eval 9.

>>> from rankscale.compat import pytrec_eval
>>> qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
>>> run = {"1": {"b": 3.5, "a": 2.5}, "2": {"a": 0.5}}
>>> pytrec_eval.RelevanceEvaluator(qrels, {"map", "P_5"}).evaluate(run)
{'1': {'map': 0.25, 'P_5': 0.2}, '2': {'map': 1.0, 'P_5': 0.2}}

What differs: where pytrec_eval ends the whole program (`ndcg.1=3`, `P_0`, a negative `relevance_level`) there is an
error here, `utility` with other than four numbers is an error rather than 0, a score that is NaN is an error, and
numbers of numpy are taken.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from numbers import Integral

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, ParameterError
from rankscale.evaluation.batches import measured, sharing
from rankscale.evaluation.options import EvaluationRequest, Judging
from rankscale.inputs.options import Reading
from rankscale.inputs.tabular import qrels_from, runs_from
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.trec_names import BY_NAME, NICKNAMES, ORDERLESS, expand
from rankscale.trec_eval.measure_columns import configured_measure, measure_column
from rankscale.trec_eval.printing import PrintedColumn, logarithms

__version__ = "0.5.11"  # of pytrec_eval-terrier, whose interface this is

VERSION = 9  # of trec_eval, which pytrec_eval is built on
VALUELESS = ("runid", "relstring")  # texts in trec_eval; pytrec_eval has 0 for them
PARAMETERS = r"[\._]([0-9]+(\.[0-9]+)?(,[0-9]+(\.[0-9]+)?)*)"

supported_nicknames: dict[str, set[str]] = {
    nickname: {name for name in names if BY_NAME[name].since <= VERSION} for nickname, names in NICKNAMES.items()
}
supported_measures: set[str] = set(supported_nicknames["all_trec"])

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


@dataclass(frozen=True)
class _Key:
    """What one key of the result holds: a column of trec_eval, and the measure behind it."""

    name: str
    column: PrintedColumn | None  # None: always 0
    measure: Measure | None


class RelevanceEvaluator:
    """Evaluates runs with some measures of trec_eval, as `pytrec_eval.RelevanceEvaluator` does.

    Parameters
    ----------
    query_relevance
        `{topic: {document: grade}}`; grades are whole numbers. Topics without judgments are left out.
    measures
        Names of trec_eval or nicknames: 'map', 'ndcg_cut_10', 'ndcg_cut.5,10', 'official'.
    relevance_level
        The lowest grade that is relevant, from 1.
    judged_docs_only_flag
        Whether documents without judgments are removed from rankings first.

    Raises
    ------
    ValueError
        If there is no such measure, or if it cannot have such parameters.
    TypeError
        If a topic or document is not a text, a grade not a whole number, or the level not a whole number from 1.

    Examples
    --------
    >>> evaluator = RelevanceEvaluator({"1": {"a": 1, "b": 2}}, ["recall_1"], relevance_level=2)
    >>> evaluator.evaluate({"1": {"b": 2.0, "a": 1.0}})
    {'1': {'recall_1': 1.0}}
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,  # noqa: FBT001, FBT002  # as in pytrec_eval
    ) -> None:
        _core.keep_freed_memory()  # as much is needed again for the next run
        level = _whole("relevance_level", relevance_level)
        if level < 1:
            raise TypeError(f"relevance_level must be a whole number from 1, got {level}")
        self._judged_only = bool(_whole("judged_docs_only_flag", judged_docs_only_flag))
        self._keys = _requested_keys(tuple(measures), level)
        self._measures = tuple(key.measure for key in self._keys if key.measure)
        self._qrels = _read_qrels({topic: grades for topic, grades in query_relevance.items() if len(grades) > 0})
        if self._qrels:
            self._request = EvaluationRequest(self._measures, "skip", Judging(self._judged_only))
            self._views = sharing(self._request, self._qrels)

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """Evaluate one run.

        Parameters
        ----------
        scores
            `{topic: {document: score}}`.

        Returns
        -------
        dict
            `{topic: {measure: value}}`, for the topics that have both a ranking and judgments, in the order of the
            run; measures are in the order of trec_eval.

        Raises
        ------
        TypeError
            If this is no such dictionary.
        """
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise TypeError(f"a run is a dictionary {{topic: {{document: score}}}}, got {type(scores).__name__}")
        if any(not isinstance(ranking, dict) for ranking in scores.values()):
            raise TypeError("a run is a dictionary {topic: {document: score}}")
        if self._qrels is None:
            return {}
        try:
            (run,) = runs_from(self._qrels, scores, "run", Reading())
        except FormatError as error:
            raise TypeError(str(error)) from None
        _check_topics(scores)
        names = [key.name for key in self._keys]
        topics = [self._qrels.topics[row] for row in run.rows.tolist()]
        by_topic = dict(zip(topics, self._values(self._qrels, run).T.tolist(), strict=True))
        return {topic: dict(zip(names, by_topic[topic], strict=True)) for topic in scores if topic in by_topic}

    def _values(self, qrels: Qrels, run: Run) -> Floats:
        """(key, topic of the run)."""
        values = np.zeros((len(self._keys), len(run.rows)))
        if not self._measures:
            return values
        (one,) = measured(qrels, self._views, self._request, [run])
        places = [place for place, key in enumerate(self._keys) if key.measure]
        values[places] = one.values["values"][:, run.rows] + 0.0  # no -0.0: sums in C begin at 0
        judged = run.judged(qrels) if self._judged_only or not run.length.all() else None
        if judged is not None and self._judged_only:
            judged = judged.only_judged()
        for place, key in enumerate(self._keys):
            if key.column and key.column.summary == "geometric":
                values[place] = logarithms(values[place])
            elif key.column and judged is not None and not judged.length.all():  # trec_eval may divide by 0 there
                values[place] = key.column.values(judged) + 0.0
        return values


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The run in the lines of a TREC file, `topic Q0 document rank score tag`.

    Parameters
    ----------
    f_run
        Lines, or an open text file.

    Returns
    -------
    dict
        `{topic: {document: score}}`.

    Raises
    ------
    AssertionError
        If a topic has a document twice.
    ValueError
        If a line has not six fields, or if the score is no number.

    Examples
    --------
    >>> dict(parse_run(["1 Q0 a 1 2.5 mine"]))
    {'1': {'a': 2.5}}
    """
    run: dict[str, dict[str, float]] = defaultdict(dict)
    for line in f_run:
        topic, _, document, _, score, _ = line.strip().split()
        _check_new(run[topic], topic, document)
        run[topic][document] = float(score)
    return run


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The judgments in the lines of a TREC file, `topic iteration document grade`.

    Parameters
    ----------
    f_qrel
        Lines, or an open text file.

    Returns
    -------
    dict
        `{topic: {document: grade}}`.

    Raises
    ------
    AssertionError
        If a topic has a document twice.
    ValueError
        If a line has not four fields, or if the grade is no whole number.

    Examples
    --------
    >>> dict(parse_qrel(["1 0 a 2"]))
    {'1': {'a': 2}}
    """
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in f_qrel:
        topic, _, document, grade = line.strip().split()
        _check_new(qrels[topic], topic, document)
        qrels[topic][document] = int(grade)
    return qrels


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """One number for all topics: a sum for `num_`, a geometric mean (of logarithms) for `gm_`, else the mean.

    Parameters
    ----------
    measure
        The name of the measure.
    values
        Its values, one for each topic.

    Returns
    -------
    float
        The number.

    Examples
    --------
    >>> compute_aggregated_measure("num_ret", [10.0, 20.0]), compute_aggregated_measure("map", [0.25, 0.75])
    (30.0, 0.5)
    """
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def _check_new(documents: Mapping[str, object], topic: str, document: str) -> None:
    if document in documents:
        raise AssertionError(f"topic {topic} has document {document} twice")


def _whole(name: str, value: object) -> int:
    if not isinstance(value, Integral):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    return int(value)


def _check_topics(topics: Iterable[object]) -> None:
    for topic in topics:
        if not isinstance(topic, str):
            raise TypeError(f"a topic is a text, got {topic!r}; write it as {str(topic)!r}")


def _read_qrels(grades: dict[str, Mapping[str, int]]) -> Qrels | None:
    if not grades:
        return None
    _check_topics(grades)
    for topic, of_topic in grades.items():
        if not isinstance(of_topic, dict):
            raise TypeError(f"topic {topic}: expected a dictionary {{document: grade}}, got {type(of_topic).__name__}")
        document, first = next(iter(of_topic.items()))  # looking at all takes as long as reading them
        if not isinstance(first, Integral):
            raise TypeError(f"topic {topic}, document {document}: a grade is a whole number, got {first!r}")
    try:
        qrels = qrels_from(grades)
    except FormatError as error:
        raise TypeError(str(error)) from None
    for level in qrels.levels.tolist():
        if not level.is_integer():
            raise TypeError(f"a grade is a whole number, got {level}")
    return qrels


@lru_cache
def _requested_keys(measures: tuple[str, ...], level: int) -> tuple[_Key, ...]:
    """The keys of some measures; kept, since a new evaluator is often made for each run."""
    return tuple(key for name, given in _requested(measures).items() for key in _keys(name, given, level))


def _requested(measures: Iterable[str]) -> dict[str, str]:
    """Names of trec_eval in its order, each with its parameters between commas.

    >>> _requested(["ndcg_cut.10", "map", "ndcg_cut_5,10"])
    {'map': '', 'ndcg_cut': '10,5'}
    """
    parameters: dict[str, set[str]] = {}
    for written in chain.from_iterable(supported_nicknames.get(measure, [measure]) for measure in measures):
        name, given = _split(written)
        parameters.setdefault(name, set()).update(given)
    return {name: ",".join(sorted(parameters[name])) for name in BY_NAME if name in parameters}


def _split(written: str) -> tuple[str, list[str]]:
    if written in supported_measures:
        return written, []
    for name in supported_measures:
        if match := re.match(re.escape(name) + PARAMETERS, written):
            return name, match[1].split(",")
    raise ValueError(f"unsupported measure {written}")


def _keys(name: str, given: str, level: int) -> list[_Key]:
    """The keys that one measure of trec_eval has in the result."""
    entry = BY_NAME[name]
    if name in VALUELESS:
        return [_Key(name, None, None)]
    if given and entry.parameters == "pairs":
        raise ParameterError(f"unsupported measure {name}.{given}: pytrec_eval has no gains; rankscale.evaluate has")
    text = f"{name}.{given}" if given and entry.parameters != "none" else name
    keys = []
    for printed, ours in expand(text):
        measure = configured_measure(ours, level, VERSION, 0)
        key = name if entry.parameters in ORDERLESS else printed  # set_F.2 comes under set_F
        keys.append(_Key(key, measure_column(entry, key, measure), measure))
    return keys
