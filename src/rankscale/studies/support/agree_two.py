"""Agree: the result of `agree` for two sets of judgments."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rankscale import __version__
from rankscale.data.names import listed
from rankscale.data.notices import Notice
from rankscale.data.table import Table
from rankscale.stats.resampling.confidence import words_of_draws
from rankscale.stats.topic_draws import FEWEST_TOPICS, draws_from
from rankscale.studies.support import agree_tables as tables_of
from rankscale.studies.support.agree_options import Shares
from rankscale.studies.support.agreement_study import AgreementStudy
from rankscale.studies.support.judged_runs import JudgedRuns
from rankscale.studies.support.judges import Judges
from rankscale.studies.support.two_qrels import Overlap


@dataclass(frozen=True, eq=False, repr=False)
class Agree(AgreementStudy):
    """Result of `agree`: agreement of two judges, and what it does to conclusions about runs.

    Attributes
    ----------
    judges : Judges
        Matrix of grades, coefficients, agreement by grade and by relevance, bias.
    overlap : Overlap
        How many judgments the two share.
    topics : tuple of str
        Topics that both have.
    sources : tuple of str
        Names of A and B.
    judged : JudgedRuns or None
        Runs under both; None where none are given.
    options : dict
        Options of the study.
    notices : tuple of Notice
        What users should know about the result; `warnings` gives them as sentences.
    shares : {'none', 'row', 'column', 'total'}
        What percentages in the table `matrix` are of.
    """

    judges: Judges
    overlap: Overlap
    topics: tuple[str, ...]
    sources: tuple[str, str]
    judged: JudgedRuns | None
    options: Mapping[str, object]
    notices: tuple[Notice, ...]
    shares: Shares = "none"

    @property
    def settings(self) -> dict[str, object]:
        """Options of coefficients and draws; with runs those of tests, too."""
        return {"study": "agree", **self.options}

    @property
    def runs(self) -> tuple[str, ...]:
        """Names of the runs."""
        return () if self.judged is None else self.judged.evaluations[0].runs

    @property
    def origin(self) -> Mapping[str, object]:
        """Files of qrels; with runs where their values come from."""
        if self.judged is not None:
            return {**self.judged.evaluations[0].provenance, "qrels": list(self.sources)}
        return {"rankscale": __version__, "signature": f"version:{__version__}", "qrels": list(self.sources)}

    def tables(self) -> Mapping[str, Table]:
        """`agreement`, `matrix`, `grades`, `counts`, `topics`; with runs `runs`, `orders`, `pairs`, `outcomes`."""
        return self._tables

    @cached_property
    def _tables(self) -> dict[str, Table]:
        made = {
            "agreement": tables_of.agreement_table(self.judges),
            "matrix": tables_of.matrix_table(self.judges, self.shares),
            "grades": tables_of.grades_table(self.judges),
            "counts": tables_of.counts_table(self.judges, self.overlap),
            "topics": tables_of.topics_table(self.judges, self.topics),
        }
        if self.judged is not None:
            effects = self.judged.by_measure
            made["runs"] = tables_of.runs_table(effects, self.runs, self.judged.unjudged)
            made["orders"] = tables_of.orders_table(effects)
            made["pairs"] = tables_of.pairs_table(effects, str(self.options["test"]), self.judged.verdicts)
            made["outcomes"] = tables_of.outcomes_table(effects, self.runs)
        return made

    def sentences(self) -> list[str]:
        """How far judges agree and, with runs, what that does to each measure."""
        sentences = [
            tables_of.sentence_of_judges(
                self.judges, self.overlap, self.sources, float(str(self.options["confidence"]))
            ),
            tables_of.sentence_of_sets(self.judges, self.overlap),
        ]
        if self.judged is not None:
            both = zip(self.judged.by_measure, self.judged.verdicts, strict=True)
            unjudged = " and ".join(f"{share:.1%}" for share in self.judged.unjudged.mean(axis=1).tolist())
            depth = self.options["unjudged_at"]
            sentences.append(
                f"Unjudged documents in the first {depth} ranks of runs: {unjudged} on average, under A and under B."
            )
            sentences += [tables_of.sentence_of_runs(one, verdict) for one, verdict in both]
        if len(self.topics) >= FEWEST_TOPICS:
            how = words_of_draws(draws_from(str(self.options["draws"])), int(str(self.options["seed"])))
            sentences.append(f"Intervals are from {how}, of {len(self.topics):,} topics.")
        return sentences

    def titled_tables(self) -> Iterator[Table]:
        """Agreement first, then, with runs, what becomes of them."""
        yield tables_of.titled(tables_of.agreement_shown(self.judges), "Agreement")
        yield tables_of.titled(self.table("matrix"), "Items by grade, A in rows and B in columns")
        yield tables_of.titled(self.table("grades"), "Agreement by grade")
        if self.judged is not None:
            yield tables_of.titled(tables_of.runs_shown(self.table("runs")), "Runs under A and B")
            yield tables_of.titled(tables_of.orders_shown(self.judged.by_measure), "Orders of runs")
            shown = tables_of.pairs_shown(self.table("pairs"))
            yield tables_of.titled(shown, "Pairs of runs: significant differences under A, and what B makes of them")


def undefined_for_two(agreed: Judges) -> Iterator[str]:
    """Sentences about coefficients without a value."""
    if len(agreed.levels) == 1:
        yield "both give all items one grade: kappa, alpha, AC1 and AC2 are undefined"
        return
    topics = len(agreed.items)
    empty = int(np.count_nonzero(agreed.items == 0))
    if empty:
        yield f"{empty:,} of {topics:,} topics {'has' if empty == 1 else 'have'} no document that both judge"
    fewer = {one.name: topics - one.topics for one in agreed.coefficients if topics - one.topics > empty}
    if fewer:
        most = max(fewer.values())
        yield f"{listed(list(fewer))}: undefined on up to {most:,} of {topics:,} topics, left out of their means"
    lacking = {one.name: one.undefined_draws for one in agreed.coefficients if one.undefined_draws}
    if lacking:
        most = max(lacking.values())
        yield f"{listed(list(lacking))}: undefined in up to {most:,} draws, left out of their intervals"
    if topics < FEWEST_TOPICS:
        yield "intervals are over draws of topics, and there is one topic only: there are none"
