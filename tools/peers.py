"""The tools that docs/peers.md sets side by side, each behind the same few calls.

A call that a tool has no function for raises `NotImplementedError`.
"""

import lzma
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from rankscale.sample import QRELS, RUNS

Grades = Mapping[str, Mapping[str, float]]
Scores = Mapping[str, Mapping[str, float]]


def read_grades() -> Grades:
    """The qrels of the sample collection, read without any of the tools."""
    qrels: dict[str, dict[str, float]] = {}
    for line in lzma.decompress(QRELS.read_bytes()).decode().splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    return qrels


def read_scores(name: str) -> Scores:
    """A run of the sample collection, read without any of the tools."""
    path = next(path for path in RUNS if path.name == f"{name}.txt.xz")
    run: dict[str, dict[str, float]] = {}
    for line in lzma.decompress(path.read_bytes()).decode().splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    return run


class Tool:
    """What is called of each tool."""

    name: str
    package: str

    def mean(self, qrels: Grades, run: Scores, measure: str) -> float | None:
        """The mean of a measure over topics."""
        raise NotImplementedError

    def p_value(self, qrels: Grades, run: Scores, other: Scores) -> float | None:
        """The p-value of a paired t test of two runs by AP."""
        raise NotImplementedError

    def corrected_p_value(self, qrels: Grades, runs: Mapping[str, Scores]) -> float | None:
        """That of the first two of several runs, corrected for all pairs."""
        raise NotImplementedError

    def residual(self, qrels: Grades, run: Scores) -> float | None:
        """How far unjudged documents, and those after the end of rankings, could raise the mean of RBP(p=0.8)."""
        raise NotImplementedError

    def fused(self, qrels: Grades, runs: Sequence[Scores]) -> float | None:
        """AP of some runs after reciprocal rank fusion with k = 60."""
        raise NotImplementedError

    def over_ties(self, qrels: Grades, run: Scores) -> float | None:
        """The mean of AP over all orders of tied documents."""
        raise NotImplementedError

    def interval(self, qrels: Grades, run: Scores) -> float | None:
        """The mean of AP@10 on an interval scale."""
        raise NotImplementedError


class Rankscale(Tool):
    """The project itself."""

    name, package = "rankscale", "rankscale"

    def mean(
        self, qrels: Grades, run: Scores, measure: str, ties: Literal["trec", "expected"] = "trec"
    ) -> float | None:
        import rankscale as rs

        return float(rs.evaluate(qrels, {"run": run}, measure, ties=ties).means()["run", measure])

    def p_value(self, qrels: Grades, run: Scores, other: Scores) -> float | None:
        import rankscale as rs

        result = rs.evaluate(qrels, {"a": run, "b": other}, "AP")
        return float(rs.compare(result, test="student").to_polars()["p"][0])

    def corrected_p_value(self, qrels: Grades, runs: Mapping[str, Scores]) -> float | None:
        import rankscale as rs

        first, second = list(runs)[:2]
        pairs = rs.compare(rs.evaluate(qrels, runs, "AP"), test="student", correction="holm").to_polars()
        return next(float(pair["p"]) for pair in pairs.to_dicts() if {pair["run"], pair["other"]} == {first, second})

    def residual(self, qrels: Grades, run: Scores) -> float | None:
        return self.mean(qrels, run, "Residual(RBP(p=0.8))")

    def fused(self, qrels: Grades, runs: Sequence[Scores]) -> float | None:
        import rankscale as rs

        fusion = rs.fuse({str(number): run for number, run in enumerate(runs)}, method="rrf")
        with tempfile.TemporaryDirectory() as folder:
            fusion.write(f"{folder}/fused.txt")
            return float(rs.evaluate(qrels, f"{folder}/fused.txt", "AP").means().values[0][0])

    def over_ties(self, qrels: Grades, run: Scores) -> float | None:
        return self.mean(qrels, run, "AP", ties="expected")

    def interval(self, qrels: Grades, run: Scores) -> float | None:
        return self.mean(qrels, run, "Interval(AP@10)")


class PytrecEval(Tool):
    """pytrec_eval, as terrierteam keeps it up."""

    name, package = "pytrec_eval", "pytrec_eval-terrier"
    names: ClassVar = {
        "AP": "map",
        "nDCG@10": "ndcg_cut_10",
        "P@10": "P_10",
        "R@100": "recall_100",
        "RR": "recip_rank",
        "Rprec": "Rprec",
        "Bpref": "bpref",
    }

    def mean(self, qrels: Grades, run: Scores, measure: str) -> float | None:
        import pytrec_eval

        key, judged = self.names[measure], cast("Any", qrels)  # real-valued grades are an answer, too
        by_topic = pytrec_eval.RelevanceEvaluator(judged, {key.replace("_cut_", "_cut.")}).evaluate(run)
        return sum(found[key] for found in by_topic.values()) / len(by_topic)


class IrMeasures(Tool):
    """ir_measures, with the providers that are installed beside it."""

    name, package = "ir_measures", "ir_measures"

    def mean(self, qrels: Grades, run: Scores, measure: str) -> float | None:
        import ir_measures

        name = {"RBP(p=0.8)": "RBP(p=0.8,rel=1)"}.get(measure, measure)
        asked = ir_measures.parse_measure(name)
        return float(ir_measures.calc_aggregate([asked], qrels, run)[asked])


class Ranx(Tool):
    """ranx."""

    name, package = "ranx", "ranx"
    names: ClassVar = {
        "AP": "map",
        "nDCG@10": "ndcg@10",
        "P@10": "precision@10",
        "R@100": "recall@100",
        "RR": "mrr",
        "Rprec": "r-precision",
        "Bpref": "bpref",
        "RBP(p=0.8)": "rbp.80",
    }

    def mean(self, qrels: Grades, run: Scores, measure: str) -> float | None:
        import ranx

        judged, ranked = ranx.Qrels(qrels), ranx.Run(run)
        return float(ranx.evaluate(judged, ranked, self.names[measure], make_comparable=True))

    def p_value(self, qrels: Grades, run: Scores, other: Scores) -> float | None:
        import ranx

        runs = [ranx.Run(run, name="a"), ranx.Run(other, name="b")]
        report = ranx.compare(ranx.Qrels(qrels), runs, ["map"], stat_test="student")
        return float(report.comparisons["a", "b"]["map"]["p_value"])

    def fused(self, qrels: Grades, runs: Sequence[Scores]) -> float | None:
        import ranx

        fused = ranx.fuse([ranx.Run(run) for run in runs], norm=None, method="rrf", params={"k": 60})
        return float(ranx.evaluate(ranx.Qrels(qrels), fused, "map"))


class Trectools(Tool):
    """trectools, which reads files."""

    name, package = "trectools", "trectools"

    @contextmanager
    def evaluation(self, qrels: Grades, run: Scores) -> Iterator[Any]:
        """Its evaluation of a run, by way of files."""
        with self.files(qrels, run) as (judged, ranked):
            from trectools import TrecEval

            yield TrecEval(ranked, judged)

    @contextmanager
    def files(self, qrels: Grades, *runs: Scores) -> Iterator[tuple[Any, ...]]:
        """Its qrels and runs."""
        from trectools import TrecQrel, TrecRun

        with tempfile.TemporaryDirectory() as folder:
            judged = Path(folder, "qrels.txt")
            judged.write_text("".join(f"{t} 0 {d} {g}\n" for t, grades in qrels.items() for d, g in grades.items()))
            made = [TrecQrel(str(judged))]
            for number, run in enumerate(runs):
                path = Path(folder, f"run{number}.txt")
                rows = (
                    f"{topic} Q0 {document} {rank} {score} r{number}\n"
                    for topic, scores in run.items()
                    for rank, (document, score) in enumerate(sorted(scores.items(), key=lambda pair: -pair[1]), 1)
                )
                path.write_text("".join(rows))
                made.append(TrecRun(str(path)))
            yield tuple(made)

    def mean(self, qrels: Grades, run: Scores, measure: str) -> float | None:
        with self.evaluation(qrels, run) as evaluated:
            calls = {
                "AP": lambda: evaluated.get_map(depth=1000),
                "nDCG@10": lambda: evaluated.get_ndcg(depth=10),
                "P@10": lambda: evaluated.get_precision(depth=10),
                "R@100": lambda: evaluated.get_recall(depth=100),
                "RR": lambda: evaluated.get_reciprocal_rank(depth=1000),
                "Rprec": evaluated.get_rprec,
                "Bpref": lambda: evaluated.get_bpref(depth=1000),
                "RBP(p=0.8)": lambda: evaluated.get_rbp(p=0.8)[0],
                "Judged@10": lambda: 1 - evaluated.get_unjudged(depth=10),
            }
            return float(calls[measure]())

    def p_value(self, qrels: Grades, run: Scores, other: Scores) -> float | None:
        with self.files(qrels, run, other) as (judged, first, second):
            results = [ranked.evaluate_run(judged, per_query=True) for ranked in (first, second)]
            return float(results[0].compare_with(results[1], metric="map").pvalue)

    def residual(self, qrels: Grades, run: Scores) -> float | None:
        with self.evaluation(qrels, run) as evaluated:
            return float(evaluated.get_rbp(p=0.8)[1])

    def fused(self, qrels: Grades, runs: Sequence[Scores]) -> float | None:
        with self.files(qrels, *runs) as (judged, *ranked):
            from trectools import TrecEval, fusion

            return float(TrecEval(fusion.reciprocal_rank_fusion(ranked, k=60), judged).get_map(depth=1000))


TOOLS: list[Tool] = [Rankscale(), PytrecEval(), IrMeasures(), Ranx(), Trectools()]
