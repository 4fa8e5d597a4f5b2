"""Measure rankings, and know what may be said with the numbers.

>>> import rankscale as rs
>>> qrels = rs.read_qrels({"301": {"a": 1, "b": 0, "c": 1}})
>>> found = rs.evaluate(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["AP", "P@5"])
>>> print(found.means())
run   topics      AP     P@5
mine       1  0.2500  0.2000
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rankscale import errors as errors
    from rankscale.data.judged import judged as judged
    from rankscale.evaluation.evaluate import evaluate as evaluate
    from rankscale.evaluation.result import Evaluation as Evaluation
    from rankscale.executors.inline import Inline as Inline
    from rankscale.executors.processes import Processes as Processes
    from rankscale.figures.base.register import figure as figure
    from rankscale.formats.read.inputs import read_qrels as read_qrels
    from rankscale.formats.read.inputs import read_run as read_run
    from rankscale.formats.read.inputs import read_runs as read_runs
    from rankscale.formats.write.qrels import write_qrels as write_qrels
    from rankscale.measures.base.parser import parse as parse
    from rankscale.measures.base.register_classes import *  # noqa: F403  # rs.nDCG and all other measures
    from rankscale.reporting.report import Report as Report
    from rankscale.reporting.report import report as report
    from rankscale.reporting.report import write_report as write_report
    from rankscale.reporting.statements import Statement as Statement
    from rankscale.reporting.statements import statements as statements
    from rankscale.scales.scale import Scale as Scale
    from rankscale.scales.scale import scale as scale
    from rankscale.stats.comparison import Comparison as Comparison
    from rankscale.stats.comparison import compare as compare
    from rankscale.stats.planning import topics_needed as topics_needed
    from rankscale.stats.standardised_evaluation import standardise as standardise
    from rankscale.studies.archetypes import Archetypes as Archetypes
    from rankscale.studies.archetypes import archetypes as archetypes
    from rankscale.studies.bounds import Bounds as Bounds
    from rankscale.studies.bounds import bounds as bounds
    from rankscale.studies.changes import Changes as Changes
    from rankscale.studies.changes import changes as changes
    from rankscale.studies.correlate import Correlation as Correlation
    from rankscale.studies.correlate import correlate as correlate
    from rankscale.studies.discriminate import Discrimination as Discrimination
    from rankscale.studies.discriminate import discriminate as discriminate
    from rankscale.studies.effort_gain import EffortGain as EffortGain
    from rankscale.studies.effort_gain import effort_gain as effort_gain
    from rankscale.studies.intervals import Intervals as Intervals
    from rankscale.studies.intervals import intervals as intervals
    from rankscale.studies.leave_out import LeaveOut as LeaveOut
    from rankscale.studies.leave_out import leave_out as leave_out
    from rankscale.studies.pooling import Pool as Pool
    from rankscale.studies.pooling import pool as pool
    from rankscale.studies.robustness import Robustness as Robustness
    from rankscale.studies.robustness import robustness as robustness
    from rankscale.studies.top import top as top
    from rankscale.tracing.curves import curves as curves
    from rankscale.tracing.result import Curves as Curves

__version__ = "0.1.0"

# Imported when first used: `import rankscale` costs nothing but this file.
_PUBLIC = {
    "Archetypes": "rankscale.studies.archetypes",
    "Bounds": "rankscale.studies.bounds",
    "Changes": "rankscale.studies.changes",
    "Comparison": "rankscale.stats.comparison",
    "Correlation": "rankscale.studies.correlate",
    "Curves": "rankscale.tracing.result",
    "Discrimination": "rankscale.studies.discriminate",
    "EffortGain": "rankscale.studies.effort_gain",
    "Evaluation": "rankscale.evaluation.result",
    "Intervals": "rankscale.studies.intervals",
    "LeaveOut": "rankscale.studies.leave_out",
    "Pool": "rankscale.studies.pooling",
    "Robustness": "rankscale.studies.robustness",
    "Scale": "rankscale.scales.scale",
    "Inline": "rankscale.executors.inline",
    "Processes": "rankscale.executors.processes",
    "Report": "rankscale.reporting.report",
    "Statement": "rankscale.reporting.statements",
    "archetypes": "rankscale.studies.archetypes",
    "bounds": "rankscale.studies.bounds",
    "changes": "rankscale.studies.changes",
    "compare": "rankscale.stats.comparison",
    "correlate": "rankscale.studies.correlate",
    "curves": "rankscale.tracing.curves",
    "discriminate": "rankscale.studies.discriminate",
    "effort_gain": "rankscale.studies.effort_gain",
    "evaluate": "rankscale.evaluation.evaluate",
    "figure": "rankscale.figures.base.register",
    "intervals": "rankscale.studies.intervals",
    "judged": "rankscale.data.judged",
    "leave_out": "rankscale.studies.leave_out",
    "parse": "rankscale.measures.base.parser",
    "pool": "rankscale.studies.pooling",
    "read_qrels": "rankscale.formats.read.inputs",
    "read_run": "rankscale.formats.read.inputs",
    "read_runs": "rankscale.formats.read.inputs",
    "report": "rankscale.reporting.report",
    "robustness": "rankscale.studies.robustness",
    "scale": "rankscale.scales.scale",
    "standardise": "rankscale.stats.standardised_evaluation",
    "statements": "rankscale.reporting.statements",
    "top": "rankscale.studies.top",
    "topics_needed": "rankscale.stats.planning",
    "write_qrels": "rankscale.formats.write.qrels",
    "write_report": "rankscale.reporting.report",
}

__all__ = [*_PUBLIC, "__version__", "errors"]  # noqa: PLE0604  # names of lazy attributes


def __getattr__(name: str) -> object:
    if name == "errors":
        return import_module("rankscale.errors")
    if name in _PUBLIC:
        value = getattr(import_module(_PUBLIC[name]), name)
    else:
        module, _, measure = _measures().get(name, "").partition(":")
        if not module:
            raise AttributeError(f"module 'rankscale' has no attribute {name!r}")
        value = getattr(import_module(module), measure)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, *_measures()]


def _measures() -> dict[str, str]:
    """Names of measures and where their classes are; a plain table, which imports nothing."""
    table: dict[str, str] = import_module("rankscale.measures.base.register_table").CLASSES
    return table
