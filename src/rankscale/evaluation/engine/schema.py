"""The columns of what an engine is given back: as an Arrow schema, and as Spark spells it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rankscale.data.checking import check_arguments
from rankscale.data.libraries import library
from rankscale.errors import ParameterError
from rankscale.evaluation.result import BOUNDS
from rankscale.measures.base.measure import Measure
from rankscale.measures.base.parser import AnyMeasure, parse_all

if TYPE_CHECKING:
    import pyarrow as pa

NAMES = ("run", "topic")  # columns of text, before the measure


def parsed(measures: AnyMeasure | Iterable[AnyMeasure]) -> tuple[Measure, ...]:
    """The measures requested; raise ParameterError where there are none."""
    wanted = parse_all(measures)
    if not wanted:
        raise ParameterError("no measure is requested; name one, as in evaluate_batches(qrels, 'AP')")
    return wanted


def columns_of(measures: tuple[Measure, ...], *, wide: bool, bounds: bool) -> dict[str, str]:
    """Names of the output columns, and whether each holds 'string' or 'double'."""
    numbers = ("value", *BOUNDS * bounds)
    if not wide:
        return {**dict.fromkeys((*NAMES, "measure"), "string"), **dict.fromkeys(numbers, "double")}
    names = [str(measure) for measure in measures]
    extra = [f"{name}_{column}" for name in names for column in numbers[1:]]
    return {**dict.fromkeys(NAMES, "string"), **dict.fromkeys((*names, *extra), "double")}


def output_schema(
    measures: AnyMeasure | Iterable[AnyMeasure], *, wide: bool = False, bounds: bool = False
) -> "pa.Schema":
    """Arrow schema of the batches that `evaluate_batches` with the same options gives.

    Parameters
    ----------
    measures
        One measure or several, as in `rs.evaluate`.
    wide
        Whether there is one row for each run and topic with a column for each measure, rather than a row for each
        value.
    bounds
        Whether there are columns `lower` and `upper`, or `nDCG@10_lower` and so on in wide rows.

    Returns
    -------
    pyarrow.Schema
        `run`, `topic`, `measure` (string), `value` (double), and the bounds.

    Examples
    --------
    >>> output_schema(["AP", "nDCG@10"]).names
    ['run', 'topic', 'measure', 'value']
    >>> output_schema(["AP", "nDCG@10"], wide=True).names
    ['run', 'topic', 'AP', 'nDCG@10']
    """
    check_arguments(output_schema, locals())
    arrow = library("pyarrow", "record batches")
    types = {"string": arrow.string(), "double": arrow.float64()}
    return arrow.schema(
        [(name, types[of]) for name, of in columns_of(parsed(measures), wide=wide, bounds=bounds).items()]
    )


def spark_schema(measures: AnyMeasure | Iterable[AnyMeasure], *, wide: bool = False, bounds: bool = False) -> str:
    """The same columns as Spark spells a schema, for `DataFrame.mapInArrow(function, schema)`.

    Examples
    --------
    >>> spark_schema("nDCG@10")
    '`run` string, `topic` string, `measure` string, `value` double'
    >>> spark_schema("nDCG@10", wide=True)
    '`run` string, `topic` string, `nDCG@10` double'
    """
    check_arguments(spark_schema, locals())
    columns = columns_of(parsed(measures), wide=wide, bounds=bounds)
    return ", ".join(f"`{name.replace('`', '``')}` {of}" for name, of in columns.items())
