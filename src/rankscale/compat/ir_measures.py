"""rankscale as a provider of ir_measures, registered as its others are. Needs ir_measures.

Importing this module registers the provider; `prefer()` has `ir_measures.calc_aggregate`, `iter_calc` and with them
`pt.Experiment` of PyTerrier use it first, and `leave()` ends that.

>>> import ir_measures
>>> from rankscale.compat.ir_measures import provider
>>> qrels = {"1": {"a": 1, "b": 0, "c": 2}, "2": {"a": 1}}
>>> run = {"1": {"b": 3.5, "a": 2.5}, "2": {"a": 0.5}}
>>> provider.calc_aggregate([ir_measures.AP], qrels, run)
{AP: 0.625}
>>> ir_measures.providers.registry["rankscale"] is provider
True

A topic of the qrels that the run lacks counts as 0, as with every provider; so does a value that is not defined.
"""

import math
from collections.abc import Iterable, Iterator

import ir_measures
from ir_measures.providers import Evaluator, Provider, register
from ir_measures.providers.base import NOT_PROVIDED
from ir_measures.util import Metric, QrelsConverter, RunConverter

from rankscale.data.qrels import Qrels
from rankscale.errors import RankscaleError
from rankscale.evaluation.evaluate import evaluate
from rankscale.inputs.read import read_qrels
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import parse

__all__ = ["RankscaleProvider", "leave", "prefer", "provider"]


class RankscaleEvaluator(Evaluator):
    """Evaluates runs with some measures of ir_measures and fixed qrels."""

    def __init__(self, measures: Iterable[ir_measures.Measure], qrels: object) -> None:
        self._parsed: dict[ir_measures.Measure, Measure] = {measure: parse(str(measure)) for measure in measures}
        by_subtopic = any(measure.by_subtopic for measure in self._parsed.values())
        if by_subtopic:
            qrels = list(QrelsConverter(qrels).as_namedtuple_iter())  # which name sub-topics as `iteration`
        grades: dict[str, dict[str, int]] = QrelsConverter(qrels).as_dict_of_dict()
        super().__init__(list(self._parsed), set(grades))
        there = any(grades.values())
        self._qrels: dict[bool, Qrels] = {False: read_qrels(grades)} if there else {}
        if there and by_subtopic:
            self._qrels[True] = read_qrels(qrels)

    def _iter_calc(self, run: object) -> Iterator[Metric]:
        rankings = RunConverter(run).as_dict_of_dict()
        for by_subtopic, qrels in self._qrels.items():
            chosen = {theirs: ours for theirs, ours in self._parsed.items() if ours.by_subtopic == by_subtopic}
            if not chosen or not any(topic in rankings for topic in qrels.topics):
                continue
            evaluation = evaluate(qrels, {"run": rankings}, list(chosen.values()), missing="skip")
            places = {measure: place for place, measure in enumerate(evaluation.measures)}
            retrieved = evaluation.retrieved[0].tolist()
            for theirs, ours in chosen.items():
                values = evaluation.values[places[ours], 0].tolist()
                for topic, value, documents in zip(evaluation.topics, values, retrieved, strict=True):
                    if documents and not math.isnan(value):
                        yield Metric(query_id=topic, measure=theirs, value=value)


class RankscaleProvider(Provider):
    """Every measure of ir_measures that rankscale has; those of sub-topics with a depth, which may exceed 20.

    Sub-topics are the `iteration` of qrels, as for the provider pyndeval.
    """

    NAME = "rankscale"

    def supports(self, measure: ir_measures.Measure) -> bool:
        """Whether rankscale has this measure, with these parameters."""
        measure.validate_params()
        if measure.NAME == "RBP" and measure["rel"] is NOT_PROVIDED:
            return False  # graded there, binary here
        try:
            parse(str(measure))
        except RankscaleError:
            return False
        return True

    def _evaluator(self, measures: Iterable[ir_measures.Measure], qrels: object) -> RankscaleEvaluator:
        return RankscaleEvaluator(measures, qrels)


provider: RankscaleProvider = register(RankscaleProvider())


def prefer() -> None:
    """Have ir_measures use rankscale before its other providers, wherever rankscale has the measure.

    Examples
    --------
    >>> prefer()
    >>> ir_measures.DefaultPipeline.providers[0].NAME
    'rankscale'
    >>> leave()
    """
    leave()
    ir_measures.DefaultPipeline.providers.insert(0, provider)


def leave() -> None:
    """Have ir_measures use its own providers again.

    Examples
    --------
    >>> prefer()
    >>> leave()
    >>> provider in ir_measures.DefaultPipeline.providers
    False
    """
    if provider in ir_measures.DefaultPipeline.providers:
        ir_measures.DefaultPipeline.providers.remove(provider)
