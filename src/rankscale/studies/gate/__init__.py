"""The gate: whether a candidate is good enough to take the place of its baseline.

A candidate passes if it is shown to be no worse than the baseline by more than a margin, and fails if it is shown to be
worse by more. "No significant difference" is neither: too few topics show nothing, and that is called inconclusive.
"""

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np

from rankscale.data.arguments import AtLeast, Declaration, Positive, Seed, Share, ValueKind, check_arguments
from rankscale.data.arrays import Bools
from rankscale.data.names import listed, place_of
from rankscale.data.notices import Notice, notes, render
from rankscale.data.table import Column, Table
from rankscale.errors import ParameterError, Setting, Spelling, in_python
from rankscale.evaluation.result import HOLDER, Evaluation, expected
from rankscale.outputs.blocks import Printable
from rankscale.outputs.names import on_terminal
from rankscale.outputs.pictures import DotColumn, Dots, row_labels
from rankscale.outputs.results import Page
from rankscale.stats.compare import retrieved_by_all
from rankscale.stats.margin import Margin
from rankscale.stats.noninferiority import Decision, combined
from rankscale.stats.resampling.groups import NONE, WITHOUT_GROUPS, grouping
from rankscale.stats.tests.register import make_test
from rankscale.stats.verdicts import Verdict, verdict
from rankscale.studies.gate.rows import ALL_TOPICS, GateRow, Rule, losses_table, rows_of, rows_table, sentences, title
from rankscale.studies.support.study import Study

CODES: Mapping[Decision, int] = {"pass": 0, "fail": 1, "inconclusive": 3}  # 2 is for errors
HIGHEST_ALPHA = 0.5
TONES = {"pass": "good", "inconclusive": "odd", "fail": "bad"}  # of verdicts
DECIDING = ("candidate", "measure", "group", "verdict", "difference", "ratio", "margin", "p_NI")  # columns
SHOWN = (
    *("candidate", "measure", "group", "topics", "baseline_mean", "candidate_mean", "difference", "ratio", "margin"),
    *("lower", "upper", "p_NI", "p_worse", "verdict"),
)  # columns that people are shown
TopicMasks = list[tuple[str, Bools]]  # names, and (topic,): who is in them


@dataclass(frozen=True, eq=False, repr=False)
class Gate(Study):
    """Result of `gate`: whether candidates are good enough, by measure and group of topics.

    Attributes
    ----------
    evaluation : Evaluation
        Values of the baseline and of the candidates.
    baseline, candidates
        Names of runs.
    rule : Rule
        Margin, test, level and correction.
    rows : tuple of Row
        One for each candidate, measure and group: differences, bounds, p-values and verdict.
    scales : tuple of Verdict
        Whether the test is meaningful with each measure.
    inconclusive : str or None
        What an inconclusive verdict counts as, if not as itself.
    most_losses : int
        How many topics with the largest losses are listed for each row.
    notices : tuple of Notice
        What users should know about the result.
    missing : str or None
        How topics that a run lacks are counted: 'zero' or 'common'; None where both ways must agree.
    spelling : callable
        How options are spelled in `warnings`: as in Python, unless the command line made the result.
    """

    evaluation: Evaluation
    baseline: str
    candidates: tuple[str, ...]
    rule: Rule
    rows: tuple[GateRow, ...]
    scales: tuple[Verdict, ...]
    inconclusive: Literal["pass", "fail"] | None
    most_losses: int
    notices: tuple[Notice, ...]
    missing: Literal["zero", "common"] | None = None
    spelling: Spelling = in_python

    @property
    def warnings(self) -> tuple[str, ...]:
        """The notices as sentences."""
        return tuple(render(notice, self.spelling) for notice in self.notices)

    @property
    def verdict(self) -> Decision:
        """'fail' if any row fails, 'pass' if all pass, else 'inconclusive'."""
        return combined([row.verdict for row in self.rows])

    @property
    def outcome(self) -> Decision:
        """The verdict, or what an inconclusive one counts as."""
        return self.inconclusive if self.inconclusive and self.verdict == "inconclusive" else self.verdict

    @property
    def passed(self) -> bool:
        """Whether the candidates may go out."""
        return self.outcome == "pass"

    @property
    def exit_code(self) -> int:
        """0 for pass, 1 for fail, 3 for inconclusive."""
        return CODES[self.outcome]

    def verdict_of(self, candidate: str) -> Decision:
        """The verdict about one of several candidates."""
        chosen = self.candidates[place_of(self.candidates, candidate, "candidate", "the gate has")]
        return combined([row.verdict for row in self.rows if row.candidate == chosen])

    def tables(self) -> Mapping[str, Table]:
        """`gate`, `candidates` (one verdict each) and `losses` (the topics to blame)."""
        verdicts = [(name, self.baseline, self.verdict_of(name)) for name in self.candidates]
        return {
            "gate": replace(rows_table(self.rows), important=DECIDING),
            "candidates": Table.of(("candidate", "baseline", "verdict"), verdicts),
            "losses": losses_table(self.rows, self.most_losses),
        }

    def views(self, name: str | None = None) -> list[Table]:
        """The verdict with the columns that decide it, sentences, and the largest losses where a row has not passed."""
        if name is not None:
            return [self.table(name)]
        decided, *others = self._shown()
        return [replace(decided, notes=(*decided.notes, *map(on_terminal, self.warnings))), *others]

    def _shown(self) -> list[Table]:
        """The same without the notices, which a terminal shows apart."""
        answer = self.table("gate")
        tones = Column("verdict", tones=[TONES[row.verdict] for row in self.rows])
        losses = losses_table([row for row in self.rows if row.verdict != "pass"], self.most_losses)
        view = [column for column in self._varied(answer) if column.name in SHOWN]
        decided = replace(answer, view=view, title=title(self), notes=sentences(self)).with_columns(tones)
        blamed = replace(losses, view=self._varied(losses), title="Largest losses")
        return [decided, *([blamed] if len(losses) else [])]

    def _varied(self, table: Table) -> list[Column]:
        """The columns without those that say nothing: the group of all topics, bounds that there are none of.

        A single candidate is named in the title, and its values are called by its role.
        """
        dull = [] if any(row.group != ALL_TOPICS for row in self.rows) else ["group"]
        dull += ["lower", "upper"] if self.rule.test != "student" else []
        roles = {}
        if len(self.candidates) == 1:
            dull.append("candidate")
            roles = {f"{role}_{what}": role for role in ("baseline", "candidate") for what in ("mean", "value")}
        return [Column(name, roles.get(name, "")) for name in table.columns if name not in dull]

    def page(self) -> Page:
        """What a notebook shows: the verdict as a badge, the tables, and differences with bounds and the margin."""
        columns = self.table("gate").columns
        labels = row_labels({name: columns[name] for name in ("candidate", "measure", "group")})
        panels = [_panel(self.rows, is_ratio=is_ratio) for is_ratio in sorted({row.is_ratio for row in self.rows})]
        badge = (self.verdict, TONES[self.verdict])
        return replace(super().page(), pictures=[Dots(labels, panels)], badge=badge)

    def blocks(self, name: str | None = None) -> Sequence[Printable]:
        """The verdict, its table, sentences, and the largest losses."""
        return self._shown() if name is None else self.views(name)

    def sentence(self) -> str:
        """The verdict in a line."""
        return title(self)

    @property
    def settings(self) -> Mapping[str, object]:
        """Runs, margin, test, level and correction."""
        rule = self.rule
        drawn = {"samples": rule.samples, "seed": rule.seed} if rule.test == "randomisation" else {}
        upper = {} if rule.upper_margin is None else {"equivalence": str(rule.upper_margin)}
        decided = {"margin": str(rule.margin), **upper, "test": rule.test, "correction": rule.correction, **drawn}
        more: dict[str, object] = {"alpha": rule.alpha, "theta": rule.theta, "inconclusive": self.inconclusive}
        if self.missing is not None or any(row.common is not None for row in self.rows):
            more["missing-topics"] = self.missing or "zero and common"
        return {"study": "gate", "baseline": self.baseline, "candidates": list(self.candidates), **decided, **more}

    @property
    def provenance(self) -> dict[str, object]:
        """What is needed to reproduce the numbers, and the verdict."""
        notices = list(self.warnings)
        return {**super().provenance, "verdict": self.verdict, "outcome": self.outcome, "notices": notices}


def _panel(rows: Sequence[GateRow], *, is_ratio: bool) -> DotColumn:
    """Differences, or ratios of geometric means, with their bounds; lines where runs are alike and at the margins."""
    of = [row if row.is_ratio == is_ratio else None for row in rows]
    differences = [math.nan if row is None else row.shown(row.differences.mean) for row in of]
    lower = [math.nan if row is None else row.shown(row.lower) for row in of]
    upper = [math.nan if row is None else row.shown(row.upper) for row in of]
    alike = 1.0 if is_ratio else 0.0
    margins = sorted({alike - row.margin for row in of if row is not None and not math.isnan(row.margin)})
    return DotColumn(
        f"{'ratio' if is_ratio else 'difference'} and margin", differences, lower, upper, (alike, *margins[:3])
    )


def gate(
    evaluation: Evaluation,
    margin: Annotated[float | str | Sequence[float | str], ValueKind("text")],
    *,
    baseline: str | None = None,
    candidate: str | Sequence[str] | None = None,
    alpha: Share = 0.05,
    test: Literal["student", "randomisation"] = "student",
    correction: Literal["holm", "none"] = "holm",
    groups: Annotated[Mapping[str, str] | str | os.PathLike[str] | None, ValueKind("path")] = None,
    column: str | None = None,
    equivalence: bool = False,
    upper_margin: Annotated[float | str | Sequence[float | str] | None, ValueKind("text")] = None,
    theta: Share = 0.5,
    inconclusive: Literal["pass", "fail"] | None = None,
    losses: Annotated[int, AtLeast(0)] = 5,
    samples: Positive = 1000,
    seed: Seed = 0,
    missing: Literal["zero", "common"] | None = None,
) -> Gate:
    """Decide whether a candidate may replace its baseline.

    A candidate passes if a test shows that it is not worse than the baseline by more than the margin, fails if a test
    shows that it is worse by more, and is inconclusive otherwise. The command exits with 0 for pass, 1 for fail, 3 for
    inconclusive, 2 for bad input and 70 for an internal error.

    Parameters
    ----------
    evaluation : Evaluation
        Values of the measures by run and topic.
    margin : float, str or list
        How much worse a candidate may be: 0.01 in values of the measure, or 2% of the baseline's mean; if both are
        given the larger is taken. Measures with geometric means take a relative margin alone.
    baseline : str, default the first run
        Name of the baseline.
    candidate : str or list of str, default all other runs
        Name of a run to decide about.
    alpha : float
        Significance level, below 0.5.
    test : str
        Test of the mean difference.
    correction : str
        Correction over the measures and groups of a candidate; without one an overall pass is still valid, a fail is
        not.
    groups : mapping or path, default all topics together
        Decide in each group of topics: FILE has lines of a topic and its group, or is a table (csv, tsv, JSON Lines).
    column : str, default the only one, or one called group, category, ...
        With groups: column of the table that holds them.
    equivalence : bool
        Test too whether the candidate differs by less than the margin in both directions (TOST); that does not change
        the verdict.
    upper_margin : float, str or list, default the margin
        With equivalence: how much better the candidate may be.
    theta : float
        For ordinal measures: share of topics that may get worse, tested on the order of values alone.
    inconclusive : str, default neither
        What an inconclusive verdict counts as.
    losses : int
        How many topics with the largest losses to list for each measure and group.
    samples : int
        With the randomisation test: random flips of the signs of differences; for up to 16 topics all flips are taken.
    seed : int
        Random seed for the randomisation test.
    missing : str, default both ways
        How topics that a run lacks are counted: zero (as empty rankings) or common (left out). By default the gate is
        decided both ways, and is inconclusive where the two verdicts differ.

    Returns
    -------
    Gate
        `verdict`, `passed`, and the tables 'gate' (a row for each candidate, measure and group), 'candidates' and
        'losses'.

    Raises
    ------
    ParameterError
        If an option has a value that it cannot take, if there is no candidate, if a measure has no direction, if a
        run misses topics, or if a margin is relative and the mean of the baseline is not above 0.
    UnknownNameError
        If there is no run of the name given.
    FormatError
        If the file of groups is not as it should be, or puts a topic into two groups.

    Notes
    -----
    Differences are candidate less baseline or, where low is good, baseline less candidate, so that a difference above 0
    is always in favour of the candidate. Several candidates are decided about one by one, each with its own correction;
    all must pass. Topics without a group are left out.

    A relative margin m is a share of a mean that is estimated from the same topics, and is not taken as known: the test
    is that of candidate - (1 - m) baseline, topic by topic. Geometric means are compared by their logarithms, and shown
    as a ratio.

    Examples
    --------
    >>> import rankscale as rs
    >>> base, cand = (0.42, 0.31, 0.55, 0.20, 0.68, 0.47, 0.36, 0.59), (0.40, 0.33, 0.54, 0.19, 0.66, 0.48, 0.33, 0.59)
    >>> runs = {"bm25": base, "reranked": cand}
    >>> values = {run: {str(topic): one for topic, one in enumerate(of)} for run, of in runs.items()}
    >>> result = rs.gate(rs.read_values(values, measure="P@100"), margin=0.02, baseline="bm25")
    >>> result.verdict, result.passed, result.rows[0].remark
    ('pass', True, 'not worse by more than the margin')

    Command line
    ------------
        rankscale gate qrels.txt runs/*.gz -m nDCG@10 --margin 0.01
        rankscale gate qrels.txt runs/*.gz -m nDCG@10 -m AP --margin 0.01 --margin 2% --groups groups.txt
        rankscale gate --values values.tsv -m AP --margin 2% --test randomisation --format markdown
    """
    check_arguments(gate, locals(), choices=("test", "correction", "inconclusive", "missing"))
    expected(evaluation, "gate")
    rule = Rule(
        margin=Margin.of(margin),
        upper_margin=_upper_margin(margin, upper_margin, equivalence=equivalence),
        test=test,
        alpha=alpha,
        correction=correction,
        theta=theta,
        samples=samples,
        seed=seed,
    )
    if not 0 < rule.alpha < HIGHEST_ALPHA:
        raise ParameterError(f"alpha must lie between 0 and {HIGHEST_ALPHA}, got {rule.alpha}")
    if not 0 < rule.theta < 1:
        raise ParameterError(f"theta must lie between 0 and 1, got {rule.theta}")
    if losses < 0 or rule.samples < 1 or rule.seed < 0:
        raise ParameterError(
            f"losses and seed are whole numbers from 0, samples from 1; got {losses}, {rule.seed} and {rule.samples}"
        )
    chosen = _chosen(evaluation, baseline, candidate)
    there = _present(chosen, missing)
    parts, warnings = _grouped(chosen, groups, column, everywhere=missing == "common")
    rows: list[GateRow] = []
    notices: list[Notice] = []
    for place, name in enumerate(chosen.runs[1:], 1):
        common = there[0] & there[place]
        kept = [(group, members & common) for group, members in parts]
        of_candidate, left_out = rows_of(chosen, name, kept if missing == "common" else parts, rule)
        warnings += left_out
        if missing is None and not common.all():
            without, _ = rows_of(chosen, name, kept, rule)
            of_candidate = tuple(replace(row, common=one) for row, one in zip(of_candidate, without, strict=True))
            deciding = [row for row in of_candidate if row.depends_on_missing]
            notices += _deciding("missing topics decide", chosen, deciding, ~common)
        elif missing is None and not chosen.present_known:
            notices += _perhaps_missing(chosen, of_candidate, parts, rule)
        rows += of_candidate
    return Gate(
        evaluation=chosen,
        baseline=chosen.runs[0],
        candidates=chosen.runs[1:],
        rule=rule,
        rows=tuple(rows),
        scales=tuple(verdict(measure, make_test(test), chosen.judged_levels) for measure in chosen.measures),
        inconclusive=inconclusive,
        most_losses=losses,
        notices=(*_by_rule(evaluation.notices, missing), *notes(warnings), *notices),
        missing=missing,
    )


def _present(evaluation: Evaluation, missing: str | None) -> Bools:
    """(run, topic): which topics the runs have; ParameterError where that matters and is not known."""
    if evaluation.present is not None:
        return evaluation.present
    known = [notice for notice in evaluation.notices if notice.kind == "missing topics"]
    if missing != "zero" and known and evaluation.topics_rule == "zero":
        raise ParameterError(
            "topics are missing from a run and counted as empty rankings, and the values do not tell which: decide "
            "with ",
            Setting("missing", "zero"),
            ", or evaluate with ",
            Setting("missing", "common"),
        )
    return evaluation.retrieved if missing == "common" else np.ones_like(evaluation.retrieved)


def _by_rule(notices: Sequence[Notice], missing: str | None) -> Iterator[Notice]:
    """The same notices, those of topics that runs lack with what the gate makes of them."""
    for notice in notices:
        fields = dict(notice.fields)
        if notice.kind == "missing topics" and fields["rule"] == "zero" and missing != "zero":
            yield Notice.of(notice.kind, **{**fields, "rule": missing or "zero and common"})
        else:
            yield notice


def _perhaps_missing(
    evaluation: Evaluation, rows: Sequence[GateRow], parts: TopicMasks, rule: Rule
) -> Iterator[Notice]:
    """A notice where values do not say which topics runs lack, and the verdict rests on those with values of 0."""
    pair = evaluation.values[:, [0, evaluation.runs.index(rows[0].candidate)]]
    some: Bools = (np.nan_to_num(pair) != 0).any(axis=0).all(axis=0)  # (topic,): both runs have a value that is not 0
    without, _ = rows_of(evaluation, rows[0].candidate, [(group, members & some) for group, members in parts], rule)
    deciding = [row for row, other in zip(rows, without, strict=True) if row.own_verdict != other.own_verdict]
    yield from _deciding("topics of 0 decide", evaluation, deciding, ~some)


def _deciding(kind: str, evaluation: Evaluation, rows: Sequence[GateRow], topics: Bools) -> Iterator[Notice]:
    """A notice that the verdicts of these rows of a candidate, if any, rest on some topics, (topic,)."""
    if rows:
        yield Notice.of(
            kind,
            candidate=rows[0].candidate,
            baseline=evaluation.runs[0],
            measures=tuple(dict.fromkeys(str(row.measure) for row in rows)),
            topics=tuple(evaluation.topics[t] for t in np.flatnonzero(topics).tolist()),
            of=len(evaluation.topics),
        )


def _upper_margin(
    margin: float | str | Sequence[float | str], given: float | str | Sequence[float | str] | None, *, equivalence: bool
) -> Margin | None:
    """The margin above 0 that equivalence is tested with; None where it is not."""
    if given is not None and not equivalence:
        raise ParameterError(
            Setting("upper_margin"),
            " is a margin of ",
            Setting("equivalence", python="equivalence=True"),
            ": give that too, or leave it out",
        )
    return None if not equivalence else Margin.of(margin if given is None else given, "upper_margin")


def _chosen(evaluation: Evaluation, baseline: str | None, candidate: str | Sequence[str] | None) -> Evaluation:
    """The evaluation of the baseline, first, and of the candidates."""
    runs = evaluation.runs
    if not evaluation.measures or not runs:
        raise ParameterError("a gate needs values of a measure: the evaluation has none")
    first = runs[0] if baseline is None else runs[place_of(runs, baseline, "run", HOLDER)]
    names = [candidate] if isinstance(candidate, str) else candidate
    if names is None:
        names = [run for run in runs if run != first]
    if first in names:
        raise ParameterError(f"{first} is the baseline, and cannot be a candidate too: name another run as one of them")
    if not names:
        raise ParameterError(f"a gate needs a baseline and a candidate, and there is one run ({first}): give another")
    for measure in evaluation.measures:
        if measure.direction_note:
            raise ParameterError(
                f"a gate needs a measure of which more, or less, is better; {measure}: {measure.direction_note}"
            )
    return evaluation.of_runs([first, *dict.fromkeys(names)])


def _grouped(
    evaluation: Evaluation,
    groups: Mapping[str, str] | str | os.PathLike[str] | None,
    column: str | None,
    *,
    everywhere: bool,
) -> tuple[TopicMasks, list[str]]:
    """Groups of topics, or all topics as one, and warnings about topics and groups that do not fit.

    A run may lack topics if they are left out where it does (`everywhere`).
    """
    there: Bools = np.count_nonzero(evaluation.retrieved, axis=0) > 0 if everywhere else retrieved_by_all(evaluation)
    if groups is None:
        if column is not None:
            raise ParameterError(*WITHOUT_GROUPS)
        return [(ALL_TOPICS, there)], []
    made = grouping(evaluation, groups, column)
    warnings = made.warnings()
    if made.names[-1] == NONE:
        alone = [evaluation.topics[t] for t in np.flatnonzero(made.members[-1] & there).tolist()]
        have = "topics have" if len(alone) > 1 else "topic has"
        warnings.append(f"{made.where}: {len(alone)} {have} no group, and no part in the gate ({listed(alone)})")
    kept = zip(made.names, made.members & there, strict=True)
    return [(name, row) for name, row in kept if name != NONE], warnings


COMMAND = Declaration(
    gate,
    source="evaluation",
    measures=("nDCG@10",),
    flags={"test": "-t --test", "column": "--group-column"},
    shared=("values", "judging", "reading"),
    tables=("gate", "candidates", "losses"),
)
