"""What `rankscale compare` writes: comparisons, places and conclusions, or advice in place of them."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, TypedDict

from rankscale.cli.output import Writing
from rankscale.cli.values import Draws

if TYPE_CHECKING:
    from rankscale.answers.statement import Statements
    from rankscale.evaluation.result import Evaluation
    from rankscale.outputs.blocks import Block
    from rankscale.stats.comparison import Comparison
    from rankscale.stats.planning import Needed


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
    from rankscale.data.markers import DRAWS
    from rankscale.data.notices import on_command_line
    from rankscale.stats.comparison_places import places_table
    from rankscale.stats.comparison_sentence import sentence
    from rankscale.stats.comparison_tables import marked, omnibus_table, pair_rows
    from rankscale.stats.resampling.places import places_shown

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
