"""Measures from text: "RBP(p=0.8)@10" becomes RBP(p=0.8, depth=10), and str() takes it back.

`Relevance` gives the lowest relevant grade and the gains of grades to all measures whose text leaves them open.
"""

import ast
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from rankscale.data.arguments import of_ir_measures
from rankscale.errors import ParameterError, UnknownNameError, echoed
from rankscale.measures.base.measure import OF, Measure, MeasureType
from rankscale.measures.base.parameters import check_given, explained_by, parameters, refused
from rankscale.measures.base.register import (
    HINT,
    check_rbp,
    find,
    in_our_words,
    known_name,
    relevance_level,
    separated,
    trec_in_case,
)
from rankscale.measures.base.trec_names import expand

if TYPE_CHECKING:  # what is read here need not have gains
    from rankscale.measures.base.gains import Gains

Given = TypeVar("Given")


class OfIrMeasures(Protocol):
    """A measure of ir_measures, which is read by its text: these attributes are how type checkers know it."""

    AT_PARAM: str

    def validate_params(self) -> object:
        """Complain of parameters that the measure does not have."""


# a text, a measure, a class of measures for its defaults, or a measure of ir_measures
AnyMeasure = str | Measure | type[Measure] | OfIrMeasures


def parse(text: AnyMeasure) -> Measure:
    """The measure that a text names, as rankscale, trec_eval or another tool spells it, in any case.

    Parameters
    ----------
    text
        A name with parameters and depth, such as 'RBP(p=0.95)@10' or 'ndcg_at_10'; a measure; a class of measures; or a
        measure of ir_measures.

    Returns
    -------
    Measure
        The measure; `parse(str(measure)) == measure`.

    Raises
    ------
    UnknownNameError
        If there is no measure of that name; the message has the nearest one.
    ParameterError
        If a parameter has a value that it cannot take, or if the text stands for several measures.

    Examples
    --------
    >>> parse("RBP(p=0.95)@10")
    RBP(depth=10, judged_only=False, p=0.95, rel=1, gains=None, otherwise=None)
    >>> print(parse("ndcg_cut_10"), parse("NDCG@10"), parse("hit_rate@5"))
    nDCG@10 nDCG@10 Success@5
    """
    measures = parse_all([text])
    if len(measures) != 1:
        example = f"; name one, as in {measures[0]}" if measures else f"; {HINT}"
        raise ParameterError(f"{text} stands for {len(measures)} measures, and one is needed{example}")
    return measures[0]


def parse_at(text: AnyMeasure, depth: int | None) -> Measure:
    """The measure that a text names, at a depth unless it has one of its own or takes none.

    >>> [str(parse_at(text, 10)) for text in ("P", "P@5", "SetP", "P_5")]
    ['P@10', 'P@5', 'SetP', 'P@5']
    """
    if isinstance(text, MeasureType):
        check_given(text, ())
        measure: Measure = text()
    elif isinstance(text, str) and len(_theirs(text)) != 1:  # P is P at this depth, not at trec_eval's nine
        measure = _of_text(text)
    else:
        measure = parse(text)
    if measure.depth is None and measure.takes_depth and measure.at_parameter == "depth":
        measure = measure.at(depth)
    measure.check_measurable()
    return measure


def parse_all(texts: AnyMeasure | Iterable[AnyMeasure]) -> tuple[Measure, ...]:
    """The measures that texts name, in the order given, each once; a name of trec_eval may stand for several.

    >>> [str(measure) for measure in parse_all(["success", "AP", "map"])]
    ['Success@1', 'Success@5', 'Success@10', 'AP']
    >>> [str(measure) for measure in parse_all("mrr@10,recall@100")]
    ['RR@10', 'R@100']
    """
    is_one = isinstance(texts, str | Measure | MeasureType) or of_ir_measures(texts)
    several: Iterable[Any] = [texts] if is_one else as_iterable(texts)  # type: ignore[arg-type]  # as `is_one` says
    measures = tuple(dict.fromkeys(measure for text in several for measure in _named(text)))
    for measure in measures:
        measure.check_measurable()
    return measures


def as_iterable(measures: Iterable[Given]) -> Iterable[Given]:
    """The same, if it can be iterated over; raise ParameterError otherwise."""
    if not isinstance(measures, Iterable):
        raise ParameterError(f"measures are named by texts such as 'nDCG@10', got {measures!r}; {HINT}")
    return measures


def _named(text: AnyMeasure) -> Iterable[Measure]:
    if isinstance(text, Measure):
        return [text]
    if isinstance(text, MeasureType):
        check_given(text, ())
        return [text()]
    if of_ir_measures(text):
        return _of_ir_measures(str(text))
    if not isinstance(text, str):
        raise ParameterError(f"a measure is named by a text such as 'nDCG@10', got {text!r}; {HINT}")
    return _all_named(text)


def _of_ir_measures(text: str) -> tuple[Measure, ...]:
    try:
        return _all_named(text)
    except UnknownNameError as error:
        error.args = (f"{text} of ir_measures: {error}",)
        raise


@lru_cache(maxsize=4096)
def _all_named(text: str) -> tuple[Measure, ...]:
    # Measures are values: the same text gives the same ones, however often runs are evaluated.
    check_rbp(text)
    if len(several := separated(text)) > 1:
        return tuple(measure for one in several for measure in _all_named(one))
    return tuple(_read(ours) for _, ours in _theirs(text)) or (_read(text),)


def _theirs(text: str) -> list[tuple[str, str]]:
    """The measures that a name of trec_eval stands for, in any case unless the name is one of ours."""
    text = text.strip()
    return expand(text) or ([] if known_name(text) else expand(trec_in_case(text)))


def _expression(text: str) -> ast.expr:
    ours = in_our_words(text)
    try:
        return ast.parse(ours.strip(), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _unreadable(text) from None


def _read(text: str) -> Measure:
    measure = _of_text(text)
    try:
        measure.check_measurable()
    except ParameterError as error:
        raise ParameterError(*error.args, explained_by(type(measure))) from None
    return measure


def _of_text(text: str) -> Measure:
    """The measure of a text that names one, whether or not it lacks a depth."""
    named, level = relevance_level(text)
    measure = _built(_expression(named), named)
    return measure if level is None else _from_level(measure, level)


def _from_level(measure: Measure, level: int) -> Measure:
    """The measure with `level` as the lowest relevant grade; grades below it gain nothing."""
    known = parameters(type(measure))
    if "rel" in known:
        return replace(measure, rel=level)  # type: ignore[call-arg]  # it has one
    if "gains" in known:
        return replace(measure, gains=dict.fromkeys(range(1, level), 0))  # type: ignore[call-arg]
    raise refused(type(measure), f"it has no lowest relevant grade, and -l{level} gives one")


def _built(node: ast.expr, text: str) -> Measure:
    """The measure that a piece of the text names; `text` is all of it, for errors."""
    at: ast.expr | None = None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult):
        at, node = node.right, node.left
    name, call = (node.func, node) if isinstance(node, ast.Call) else (node, None)
    if not isinstance(name, ast.Name):
        raise _unreadable(text)
    measure = find(name.id)
    given = _arguments(measure, call, text) if call else {}
    if at is not None:
        if measure.at_parameter in given:
            raise refused(measure, f"{measure.at_parameter} is given both in brackets and after the @")
        given[measure.at_parameter] = _literal(measure, "what follows the @", at)
    try:
        measure, given = measure.from_arguments(given)
        check_given(measure, given)
        return measure(**given)  # type: ignore[arg-type]  # the constructor checks them
    except ParameterError as error:
        hint = explained_by(measure)
        raise ParameterError(*(part for part in error.args if part != hint), hint) from None


def _arguments(measure: type[Measure], call: ast.Call, text: str) -> dict[str, object]:
    pairs = [(keyword.arg, keyword.value) for keyword in call.keywords]
    if len(call.args) == 1 and OF in parameters(measure):  # a measure of a measure, as in AvgPos(nDCG(base=2))
        pairs.insert(0, (OF, call.args[0]))
    elif call.args:
        raise refused(measure, _nameless(measure, call))
    given: dict[str, object] = {}
    for name, node in pairs:
        if name is None:
            raise refused(measure, "each parameter is given with its name, as in RBP(p=0.8)")
        if name in given:
            raise refused(measure, "a parameter is given twice")
        given[name] = _built(node, text) if name == OF else _literal(measure, name, node)
    return given


def _nameless(measure: type[Measure], call: ast.Call) -> str:
    """What to write in place of a parameter without a name."""
    match call.args:
        case [ast.Constant(value=int(depth))] if measure.takes_depth and not isinstance(depth, bool):
            others = ",".join(map(ast.unparse, call.keywords))
            return f"a depth follows an @: {measure.name}{others and f'({others})'}@{depth}"
        case _:
            return "each parameter is given with its name, as in RBP(p=0.8)"


def _literal(measure: type[Measure], name: str, node: ast.expr) -> object:
    try:
        return _frozen(_number_or_literal(node))
    except (ValueError, TypeError, ArithmeticError, MemoryError, RecursionError):
        if isinstance(node, ast.Call) and not name.isidentifier():  # nDCG@10(base=2)
            raise refused(measure, "the depth comes last, as in RBP(p=0.8)@10") from None
        if isinstance(node, ast.Name) and name.isidentifier():
            raise refused(measure, f"a word stands in quotes: {name}='{node.id}'") from None
        raise refused(measure, f"{name} must be a plain value such as 0.8, 'exp', [0,1,10] or {{1:3}}") from None


def _number_or_literal(node: ast.expr) -> object:
    """A plain value in which quotients, as in 2/3 or [0,1/3,1], are exact."""
    match node:
        case ast.BinOp(op=ast.Div()):
            return Fraction(ast.literal_eval(node.left)) / Fraction(ast.literal_eval(node.right))
        case ast.List() | ast.Tuple():
            return [_number_or_literal(item) for item in node.elts]
        case ast.Dict():
            keys = [None if key is None else _number_or_literal(key) for key in node.keys]
            return dict(zip(keys, map(_number_or_literal, node.values), strict=True))
        case _:
            return ast.literal_eval(node)


def _frozen(value: object) -> object:
    """Lists as tuples, so that measures can be compared and hashed."""
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def _unreadable(text: str) -> ParameterError:
    return ParameterError(f"cannot read {echoed(text)} as a measure; write it as in nDCG@10 or RBP(p=0.8)@10; {HINT}")


@dataclass(frozen=True)
class Relevance:
    """Parameters that go to all measures that take them and were not given their own."""

    rel: float | None = None
    gains: "Gains | Sequence[float] | Mapping[float, float] | str" = None

    def measures(self, texts: Sequence[str]) -> tuple[Measure, ...]:
        """The measures that these texts name, each once.

        >>> [str(one) for one in Relevance(rel=2).measures(["AP", "P(rel=1)@10", "nDCG@10"])]
        ['AP(rel=2)', 'P@10', 'nDCG@10']
        """
        return tuple(dict.fromkeys(self.given_to(one, text) for text in texts for one in parse_all([text])))

    def measure(self, text: str) -> Measure:
        """The one measure that a text names; raise ParameterError where it names several."""
        measures = self.measures((text,))
        if len(measures) != 1:
            raise ParameterError(f"expected one measure, and {text} names {len(measures)}")
        return measures[0]

    def given_to(self, measure: Measure, text: str) -> Measure:
        """A measure with these parameters, where the text that names it leaves them open."""
        lacking: dict[str, object] = {}
        if self.rel is not None and measure.threshold is not None and _is_left_open(measure, "rel", text):
            lacking["rel"] = self.rel
        # Gains are for measures of graded gain; measures that count relevance alone by default do not take them.
        if self.gains is not None and measure.graded and _is_left_open(measure, "gains", text):
            lacking["gains"] = self.gains
        return measure if not lacking else replace(measure, **lacking)  # type: ignore[arg-type]  # each measure has its own


def _is_left_open(measure: Measure, name: str, text: str) -> bool:
    """Whether a measure takes this parameter, and the text that names the measure does not give it."""
    field = type(measure).__dataclass_fields__.get(name)
    return field is not None and getattr(measure, name) == field.default and f"{name}=" not in text.replace(" ", "")
