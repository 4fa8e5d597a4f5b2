"""Record batches in, record batches out: runs measured inside Spark, Ray Data, Daft, DuckDB or any other engine.

`evaluate_batches` gives a function for the engine, `summarise` makes an `Evaluation` of what the engine gives back.
"""

from rankscale.evaluation.engine.evaluator import BatchEvaluator, evaluate_batches, output_schema, spark_schema
from rankscale.evaluation.engine.summary import summarise

__all__ = ["BatchEvaluator", "evaluate_batches", "output_schema", "spark_schema", "summarise"]
