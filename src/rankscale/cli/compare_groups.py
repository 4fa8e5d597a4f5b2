"""What `rankscale compare --groups` writes: tests within groups of topics."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from rankscale.cli.groups import GroupsIn
from rankscale.cli.output import Writing
from rankscale.cli.terminal import warn

if TYPE_CHECKING:
    from rankscale.data.table import Cell, Table
    from rankscale.evaluation.result import Evaluation
    from rankscale.outputs.blocks import Block
    from rankscale.studies.topic_groups import TopicGroups


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
    from rankscale.studies.support.group_tables import marked_groups

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
