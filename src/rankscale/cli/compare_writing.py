"""What `rankscale compare` writes: comparisons, places and conclusions, or advice in place of them."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, TypedDict

import click

from rankscale.cli.options import GroupsIn
from rankscale.cli.output import Writing
from rankscale.cli.terminal import warn
from rankscale.cli.values import Draws

if TYPE_CHECKING:
    from rankscale.answers.statement import Statements
    from rankscale.data.table import Cell, Table
    from rankscale.evaluation.result import Evaluation
    from rankscale.outputs.blocks import Block
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.power import Needed
    from rankscale.studies.topic_groups import TopicGroups


class Added(TypedDict):
    """What is shown besides the means and their groups."""

    pairs: bool
    simultaneous: bool
    matrix: bool
    plan: float | str | None
    statements: bool
    explain: bool
    places: bool
    draws: Draws | None
    advise: bool


def advise_on(
    by_measure: "Sequence[Evaluation]", baseline: tuple[str, ...] | None, alpha: float, writing: Writing
) -> None:
    """Write which test and correction fit each measure."""
    from rankscale.stats.advice import advice_table, advise

    advice = [advise(one, baseline=baseline or None, alpha=alpha) for one in by_measure]
    table = partial(advice_table, advice)

    writing.write_table(table, lambda: [*map(str, advice)] if writing.form == "table" else [table()])


def write_compared(
    compared: "Sequence[Comparison]",
    planned: "Sequence[Needed]",
    conclusions: "Statements",
    writing: Writing,
    added: Added,
    seed: int,
) -> None:
    """Write comparisons and what is shown besides them."""
    from rankscale.data.arguments import DRAWS
    from rankscale.errors import on_command_line
    from rankscale.stats.comparison_tables import marked, omnibus_table, pair_rows, sentence
    from rankscale.stats.ranking_confidence import places_table
    from rankscale.stats.resampling.confidence import places_shown

    form, pairs, at_once = writing.form, added["pairs"], added["simultaneous"]
    places = [places_table(compared, added["draws"] or DRAWS, seed)] if added["places"] else []
    one_test = len({one.test.name for one in compared}) == 1
    people = [places_shown(one).without(*["test"] * one_test) for one in places]
    shown_pairs = partial(pair_rows, compared, omnibus=False, simultaneous=at_once)

    def blocks() -> "Sequence[Block]":
        by_run = marked(compared, on_command_line)
        if form != "table":
            together = [omnibus_table(compared)] if any(one.omnibus is not None for one in compared) else []
            return [shown_pairs() if pairs else by_run, *together, *people]
        parts: list[Block] = [by_run]
        parts += [one.matrix_block() for one in compared if added["matrix"]]
        parts += [*([shown_pairs()] if pairs else []), *people]
        if added["explain"]:
            verdicts = (f"{one.verdict.why[0].upper()}{one.verdict.why[1:]}." for one in compared)
            parts += dict.fromkeys((one.why for one in conclusions) if conclusions else verdicts)
        return [*parts, *map(str, planned), *conclusions.cautions(), *(one.text for one in conclusions)]

    lists: dict[str, object] = {
        "places": places[0] if places else [],
        "plans": [asdict(one) for one in planned],
        "statements": [one.to_dict() for one in conclusions],
        "comparisons": [{**one.provenance, "sentence": sentence(one, on_command_line)} for one in compared],
    }
    document = {name: listed for name, listed in lists.items() if listed} if form == "json" else {}
    writing.write_table(lambda: pair_rows(compared, simultaneous=at_once), blocks, **document)


def check_family(groups_in: GroupsIn, family: str | None) -> None:
    """Raise UsageError for --family without --groups."""
    if family is not None and groups_in.groups is None:
        raise click.UsageError("--family is about groups of topics: give --groups FILE too")


def compare_groups(
    evaluation: "Evaluation",
    groups_in: GroupsIn,
    tests: Sequence[str],
    settings: dict[str, object],
    resampling: dict[str, object],
    writing: Writing,
    *,
    pairs: bool,
    explain: bool,
) -> None:
    """Compare runs within each group by each test, warn, and write; runs are in the order of the first measure."""
    from rankscale.stats.resampling.groups import grouping
    from rankscale.stats.tests.register import make_test
    from rankscale.studies.topic_groups import VERDICT, topic_groups

    ordered = evaluation.sorted_by(evaluation.measures[0])
    groups = grouping(ordered, groups_in.groups, groups_in.group_column)
    studies = [
        topic_groups(
            ordered,
            groups,
            test=make_test(test, **resampling),  # type: ignore[arg-type]  # each test has its own
            **settings,  # type: ignore[arg-type]
        )
        for test in tests or ("student",)
    ]
    notices = dict.fromkeys(notice for study in studies for notice in study.notices if notice.kind != VERDICT)
    warn(list(notices))
    _write(studies, writing, pairs=pairs, explain=explain)


def _write(studies: "Sequence[TopicGroups]", writing: Writing, *, pairs: bool, explain: bool) -> None:
    from rankscale.studies.topic_groups.tables import marked_groups

    form = writing.form

    def blocks() -> "Sequence[Block]":
        interaction = studies[0].tables()["interaction"]  # whatever the test
        interactions = [interaction] if len(interaction) else []
        if form != "table":
            return [_with_test(studies, "pairs") if pairs else marked_groups(studies), *interactions]
        parts: list[Block] = [marked_groups(studies), *([_with_test(studies, "pairs")] if pairs else [])]
        if explain:
            reasons = (one.why for study in studies for one in study.verdicts)
            parts += dict.fromkeys(f"{why[0].upper()}{why[1:]}." for why in reasons)
        return parts

    document: dict[str, object] = {}
    if form == "json":
        document = {"groups": _with_test(studies, "groups")}
        document |= {name: studies[0].tables()[name] for name in ("overall", "interaction")}
        document = {
            "comparisons": [_settings(study, m) for study in studies for m in range(len(study.verdicts))],
            **document,
        }
    writing.write_table(lambda: _with_test(studies, "pairs"), blocks, **document)


def _with_test(studies: "Sequence[TopicGroups]", name: str) -> "Table":
    """A table of all studies, each row with its test after the measure."""
    from rankscale.data.table import Table

    columns: dict[str, list[Cell]] = {}
    tables = [study.tables()[name] for study in studies]
    names = dict.fromkeys(column for table in tables for column in table.columns)
    for study, table in zip(studies, tables, strict=True):
        for column in names:
            columns.setdefault(column, []).extend(table.columns.get(column, [None] * len(table)))
            if column == "measure":
                columns.setdefault("test", []).extend([study.test.name] * len(table))
    return replace(tables[0], columns=columns) if columns else Table({})


def _settings(study: "TopicGroups", m: int) -> dict[str, object]:
    """Settings and sentence of one measure, for JSON."""
    settings = {name: value for name, value in study.settings.items() if name != "study"}
    return {
        "measure": study.measure_names[m],
        **settings,
        "verdict": str(study.verdicts[m]),
        "signature": study.signature,
        "sentence": study.sentences(verdicts=True)[m],
    }
