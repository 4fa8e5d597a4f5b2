# The public names of rankscale, made by tools/make_commands.py: `make register` writes them.
from typing import TYPE_CHECKING

# Always so; but imports in it do not decide in which order a type checker reads modules.
if TYPE_CHECKING:  # noqa: PYI002
    from rankscale import errors as errors
    from rankscale import executors as executors
    from rankscale.answers.statement import Statement as Statement
    from rankscale.answers.statements import statements as statements
    from rankscale.data.judged import judged as judged
    from rankscale.data.resources import set_max_memory as set_max_memory
    from rankscale.evaluation import engine as engine
    from rankscale.evaluation.block_result import BlockEvaluation as BlockEvaluation
    from rankscale.evaluation.blocks import evaluate_blocks as evaluate_blocks
    from rankscale.evaluation.curves.curves import curves as curves
    from rankscale.evaluation.curves.reach import Readings as Readings
    from rankscale.evaluation.curves.result import Curves as Curves
    from rankscale.evaluation.evaluate import evaluate as evaluate
    from rankscale.evaluation.read_values import read_values as read_values
    from rankscale.evaluation.result import Evaluation as Evaluation
    from rankscale.executors import Inline as Inline
    from rankscale.executors.processes import Processes as Processes
    from rankscale.figures.base.register import figure as figure
    from rankscale.figures.base.register import panels as panels
    from rankscale.fusion.fuse import Fusion as Fusion
    from rankscale.fusion.fuse import fuse as fuse
    from rankscale.fusion.tuning import FusionTuning as FusionTuning
    from rankscale.fusion.tuning import tune_fusion as tune_fusion
    from rankscale.inputs.check.check import check as check
    from rankscale.inputs.check.result import Check as Check
    from rankscale.inputs.read import read_qrels as read_qrels
    from rankscale.inputs.read import read_run as read_run
    from rankscale.inputs.read import read_runs as read_runs
    from rankscale.measures.base.parser import parse as parse
    from rankscale.measures.base.register_classes import *  # noqa: F403
    from rankscale.outputs.convert import write_qrels as write_qrels
    from rankscale.outputs.convert import write_run as write_run
    from rankscale.outputs.partition import partition as partition
    from rankscale.reporting.html_report import Report as Report
    from rankscale.reporting.report import report as report
    from rankscale.reporting.report import write_report as write_report
    from rankscale.scales.scale import Scale as Scale
    from rankscale.scales.scale import scale as scale
    from rankscale.scales.set_scale import SetScale as SetScale
    from rankscale.stats.advice import Advice as Advice
    from rankscale.stats.advice import advise as advise
    from rankscale.stats.compare import compare as compare
    from rankscale.stats.comparison import Comparison as Comparison
    from rankscale.stats.power import topics_needed as topics_needed
    from rankscale.stats.ranking_confidence import RankingConfidence as RankingConfidence
    from rankscale.stats.ranking_confidence import ranking_confidence as ranking_confidence
    from rankscale.stats.standardising import standardise as standardise
    from rankscale.studies.agree import Agree as Agree
    from rankscale.studies.agree import agree as agree
    from rankscale.studies.agree.one_set import AgreeAssessors as AgreeAssessors
    from rankscale.studies.archetypes import Archetypes as Archetypes
    from rankscale.studies.archetypes import archetypes as archetypes
    from rankscale.studies.bounds import Bounds as Bounds
    from rankscale.studies.bounds import bounds as bounds
    from rankscale.studies.bounds.judging import BoundsInAdvance as BoundsInAdvance
    from rankscale.studies.changes import Changes as Changes
    from rankscale.studies.changes import changes as changes
    from rankscale.studies.correlate import Correlation as Correlation
    from rankscale.studies.correlate import correlate as correlate
    from rankscale.studies.diff import Diff as Diff
    from rankscale.studies.diff import diff as diff
    from rankscale.studies.discriminate import Discrimination as Discrimination
    from rankscale.studies.discriminate import discriminate as discriminate
    from rankscale.studies.effort_gain import EffortGain as EffortGain
    from rankscale.studies.effort_gain import effort_gain as effort_gain
    from rankscale.studies.gate import Gate as Gate
    from rankscale.studies.gate import gate as gate
    from rankscale.studies.intervals import Intervals as Intervals
    from rankscale.studies.intervals import intervals as intervals
    from rankscale.studies.leave_out import LeaveOut as LeaveOut
    from rankscale.studies.leave_out import leave_out as leave_out
    from rankscale.studies.next_judgments import NextJudgments as NextJudgments
    from rankscale.studies.next_judgments import next_judgments as next_judgments
    from rankscale.studies.overlap import Overlap as Overlap
    from rankscale.studies.overlap import overlap as overlap
    from rankscale.studies.partial_order import PartialOrder as PartialOrder
    from rankscale.studies.partial_order import partial_order as partial_order
    from rankscale.studies.pool_orders import PoolOrders as PoolOrders
    from rankscale.studies.pool_orders import pool_orders as pool_orders
    from rankscale.studies.pooling import Pool as Pool
    from rankscale.studies.pooling import pool as pool
    from rankscale.studies.recall_precision import RecallPrecision as RecallPrecision
    from rankscale.studies.recall_precision import recall_precision as recall_precision
    from rankscale.studies.robustness import Robustness as Robustness
    from rankscale.studies.robustness import robustness as robustness
    from rankscale.studies.support.selection import top as top
    from rankscale.studies.support.study import ByCollection as ByCollection
    from rankscale.studies.support.study import by_collection as by_collection
    from rankscale.studies.topic_groups import TopicGroups as TopicGroups
    from rankscale.studies.topic_groups import topic_groups as topic_groups
    from rankscale.workbench.serve import Serving as Serving
    from rankscale.workbench.serve import serve as serve

__version__: str
__all__: list[str]  # noqa: PYI035  # verbs and results; measures are public too

def _verbs() -> dict[str, str]: ...
def _studies() -> dict[str, str]: ...
