"""How reproduced values are written: tables for programs with every column, and one for people that fits a screen."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from rankscale.data.table import Cell, Table, is_empty
from rankscale.studies.support.reproduced_values import Effect, ValuePair

VALUES = (
    *("measure", "collection", "original", "reproduced", "topics", "undefined", "original_mean", "reproduced_mean"),
    *("RMSE", "nRMSE", "test", "p", "smallest_margin", "margin", "p_equivalence"),
)
EFFECTS = (
    *("measure", "collection", "baseline", "advanced", "reproduced_baseline", "reproduced_advanced"),
    *("ER", "delta_RI"),
)


def values_table(values: Sequence[ValuePair]) -> Table:
    """One row for each measure and pair of an original and a reproduced run."""
    return Table.of(VALUES, map(_value_row, values))


def values_shown(values: Sequence[ValuePair]) -> Table:
    """The same for people: without what sentences say, and without columns that are empty or the same in all rows."""
    table = values_table(values)
    dull = {"collection", "test", "margin"}
    dull |= {name for name in ("undefined",) if not any(table.columns[name])}
    dull |= {name for name in ("RMSE", "nRMSE", "p_equivalence") if not any(map(_is_number, table.columns[name]))}
    columns = {name: cells for name, cells in table.columns.items() if name not in dull}
    if len({(one.original, one.reproduced) for one in values}) > 1:
        return Table(columns)
    title = f"Values of {values[0].original} (original) and {values[0].reproduced} (reproduced)"
    return Table(_of_one_pair(columns), title=title)


def _of_one_pair(columns: Mapping[str, Sequence[Cell]]) -> dict[str, Sequence[Cell]]:
    """Columns without the names of the two runs, by which those of their means are called."""
    means = {"original_mean": "original", "reproduced_mean": "reproduced"}
    return {means.get(name, name): cells for name, cells in columns.items() if name not in means.values()}


def effects_table(effects: Sequence[Effect]) -> Table:
    """One row for each measure and reproduced run."""
    return Table.of(EFFECTS, map(_effect_row, effects))


def effects_shown(effects: Sequence[Effect]) -> Table:
    """The same for people: without the collection, and with the names of runs in the title where they are the same."""
    table = effects_table(effects)
    names = ("baseline", "advanced", "reproduced_baseline", "reproduced_advanced")
    same = len({tuple(row[name] for name in names) for row in table}) == 1
    dull = {"collection", *(names if same else ())}
    columns = {name: cells for name, cells in table.columns.items() if name not in dull}
    first = effects[0]
    original, again = f"{first.advanced} over {first.baseline}", f"{first.reproduced} over {first.reproduced_baseline}"
    title = f"Effect of {original} (original) and of {again} (reproduced)" if same else ""
    return replace(Table(columns), title=title)


def _is_number(cell: Cell) -> bool:
    return not is_empty(cell)


def _value_row(pair: ValuePair) -> tuple[Cell, ...]:
    first, second = pair.topics
    topics = str(first) if first == second else f"{first} and {second}"
    what = str(pair.measure), pair.collection, pair.original, pair.reproduced, topics, pair.undefined, *pair.means
    of = pair.difference
    return (*what, pair.rmse, pair.nrmse, pair.test, of.p, pair.smallest_margin, pair.margin_value, of.p_equivalence)


def _effect_row(effect: Effect) -> tuple[Cell, ...]:
    runs = effect.baseline, effect.advanced, effect.reproduced_baseline, effect.reproduced
    return str(effect.measure), effect.collection, *runs, effect.er, effect.delta_ri
