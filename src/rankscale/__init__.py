"""Measure rankings, and know which conclusions the numbers support.

>>> import rankscale as rs
>>> qrels = rs.read_qrels({"301": {"a": 1, "b": 0, "c": 1}})
>>> result = rs.evaluate(qrels, {"mine": {"301": {"b": 3.0, "a": 2.0}}}, ["AP", "P@5"])
>>> print(result.means())
run   topics      AP     P@5
mine       1  0.2500  0.2000

Errors are in `rs.errors`; those of input are ValueErrors, too. Where work runs is in `rs.executors`; `rs.engine`
measures runs inside other engines.

Names are imported when first used: `import rankscale` costs nothing but this file. Studies and measures are public by
being in their registers. Type checkers and editors read `__init__.pyi`, which `make register` writes.
"""

from importlib import import_module
from types import FunctionType

__version__ = "0.2.0"

_PUBLIC = {
    "data.judged": ("judged",),
    "data.resources": ("set_max_memory",),
    "evaluation.block_result": ("BlockEvaluation",),
    "evaluation.blocks": ("evaluate_blocks",),
    "evaluation.evaluate": ("evaluate",),
    "evaluation.read_values": ("read_values",),
    "evaluation.result": ("Evaluation",),
    "executors": ("Inline",),
    "executors.processes": ("Processes",),
    "figures.base.register": ("figure", "panels"),
    "inputs.read": ("read_qrels", "read_run", "read_runs"),
    "outputs.partition": ("partition",),
    "outputs.convert": ("write_qrels", "write_run"),
    "fusion.fuse": ("Fusion", "fuse"),
    "fusion.tuning": ("FusionTuning", "tune_fusion"),
    "measures.base.parser": ("parse",),
    "reporting.html_report": ("Report",),
    "reporting.report": ("report", "write_report"),
    "answers.statement": ("Statement",),
    "answers.statements": ("statements",),
    "scales.scale": ("Scale", "scale"),
    "scales.set_scale": ("SetScale",),
    "stats.advice": ("Advice", "advise"),
    "stats.comparison": ("Comparison",),
    "stats.compare": ("compare",),
    "stats.power": ("topics_needed",),
    "stats.ranking_confidence": ("RankingConfidence", "ranking_confidence"),
    "stats.standardising": ("standardise",),
    "studies.agree.one_set": ("AgreeAssessors",),
    "studies.bounds.judging": ("BoundsInAdvance",),
    "studies.next_judgments": ("NextJudgments", "next_judgments"),
    "studies.support.study": ("ByCollection", "by_collection"),
    "studies.support.selection": ("top",),
    "inputs.check.check": ("check",),
    "inputs.check.result": ("Check",),
    "evaluation.curves.curves": ("curves",),
    "evaluation.curves.reach": ("Readings",),
    "evaluation.curves.result": ("Curves",),
    "workbench.serve": ("Serving", "serve"),
}
_MODULES = {  # public by their own names
    "engine": "rankscale.evaluation.engine",
    "errors": "rankscale.errors",
    "executors": "rankscale.executors",
}


def __getattr__(name: str) -> object:
    if name == "__all__":
        return [*_verbs(), *_studies(), "__version__", *_MODULES]
    if name in _MODULES:
        return import_module(_MODULES[name])
    if not name.startswith("_"):
        for places in (_verbs, _measures, _studies):
            module, _, attribute = places().get(name, "").partition(":")
            if module:
                value: object = getattr(import_module(module), attribute)
                if isinstance(value, FunctionType):
                    value.__signature__ = import_module("rankscale.data.arguments").plain(value)  # type: ignore[attr-defined]
                globals()[name] = value
                return value
        if added := import_module("rankscale.data.extensions").declaration("rankscale.studies", name.replace("_", "-")):
            return added.python or added.function
    raise AttributeError(f"module 'rankscale' has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["__version__", *_MODULES, *_verbs(), *_studies(), *_measures()]


def _verbs() -> dict[str, str]:
    """Where the names of `_PUBLIC` are, as `module:attribute`."""
    return {name: f"rankscale.{module}:{name}" for module, names in _PUBLIC.items() for name in names}


def _studies() -> dict[str, str]:
    """Where the functions of studies and the classes of their results are."""
    studies = import_module("rankscale.data.arguments").register("studies").values()
    return {name: f"{study.module}:{name}" for study in studies for name in (study.python, study.result)}


def _measures() -> dict[str, str]:
    """Where the classes of measures are."""
    table: dict[str, str] = import_module("rankscale.measures.base.register_table").CLASSES
    return table
