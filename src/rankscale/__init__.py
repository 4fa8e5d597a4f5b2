"""Measure rankings, and know what may be said with the numbers.

>>> import rankscale as rs
>>> qrels = rs.read_qrels({"301": {"a": 1, "b": 0, "c": 1}})
>>> found = rs.evaluate({"mine": {"301": {"b": 3.0, "a": 2.0}}}, qrels, ["AP", "P@5"])
>>> print(found.means())
run   topics      AP     P@5
mine       1  0.2500  0.2000
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscale.by_rank import Curves as Curves
    from rankscale.by_rank import curves as curves
    from rankscale.data.judged import judged as judged
    from rankscale.evaluation import Evaluation as Evaluation
    from rankscale.evaluation import evaluate as evaluate
    from rankscale.formats.inputs import read_qrels as read_qrels
    from rankscale.formats.inputs import read_run as read_run
    from rankscale.formats.inputs import read_runs as read_runs
    from rankscale.measures.parse import parse as parse
    from rankscale.reporting.statements import statements as statements
    from rankscale.scales.scale import Scale as Scale
    from rankscale.scales.scale import scale as scale
    from rankscale.stats.comparison import Comparison as Comparison
    from rankscale.stats.comparison import compare as compare
    from rankscale.stats.planning import topics_needed as topics_needed
    from rankscale.stats.standardised_evaluation import standardise as standardise
    from rankscale.studies.changes import Changes as Changes
    from rankscale.studies.changes import changes as changes
    from rankscale.studies.intervals import Intervals as Intervals
    from rankscale.studies.intervals import intervals as intervals

__version__ = "0.1.0"

# Imported when first used: `import rankscale` costs nothing but this file.
_PUBLIC = {
    "Changes": "rankscale.studies.changes",
    "Comparison": "rankscale.stats.comparison",
    "Curves": "rankscale.by_rank",
    "Evaluation": "rankscale.evaluation",
    "Intervals": "rankscale.studies.intervals",
    "Scale": "rankscale.scales.scale",
    "changes": "rankscale.studies.changes",
    "compare": "rankscale.stats.comparison",
    "curves": "rankscale.by_rank",
    "evaluate": "rankscale.evaluation",
    "intervals": "rankscale.studies.intervals",
    "judged": "rankscale.data.judged",
    "parse": "rankscale.measures.parse",
    "read_qrels": "rankscale.formats.inputs",
    "read_run": "rankscale.formats.inputs",
    "read_runs": "rankscale.formats.inputs",
    "scale": "rankscale.scales.scale",
    "standardise": "rankscale.stats.standardised_evaluation",
    "statements": "rankscale.reporting.statements",
    "topics_needed": "rankscale.stats.planning",
}

__all__ = [*_PUBLIC, "__version__"]  # noqa: PLE0604  # names of lazy attributes


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'rankscale' has no attribute {name!r}")
    value = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
