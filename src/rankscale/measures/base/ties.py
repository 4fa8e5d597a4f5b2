"""Measures over the orders of tied documents: exact means and ranges where there are any, else those of some orders.

How many documents of a kind stand above a place among tied ones is a matter of hypergeometric chances: `chance`,
`place_chance` and `mean_over_count` are what closed forms of means are made of.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from rankscale.data.arrays import Bools, Floats, Ints
from rankscale.data.judged import Judged
from rankscale.data.orders import Reordered, TieOrders, reordered

if TYPE_CHECKING:
    from rankscale.measures.base.additive import Additive
    from rankscale.measures.base.measure import Measure


CountsLike = Ints | Floats  # whole numbers either way
# Places of rankings; these in several orders; values of all rows, (row,) or (row, rank).
InOrders = tuple[Ints, Reordered, Floats]
ROUNDING = 1e-12  # of sums of chances


def log_choices(of: CountsLike, chosen: CountsLike) -> Floats:
    """Logarithm of the number of ways to choose so many of so many; -inf where there is none."""
    factorial = _log_factorials(int(of.max(initial=0)))
    possible = (chosen >= 0) & (chosen <= of)
    n, k = np.where(possible, of, 0).astype(np.int64), np.where(possible, chosen, 0).astype(np.int64)
    return np.where(possible, factorial[n] - factorial[k] - factorial[n - k], -np.inf)


def _log_factorials(most: int) -> Floats:
    """(most + 1,): logarithms of the factorials of 0, 1, 2, ..."""
    return np.append(0.0, np.cumsum(np.log(np.arange(1.0, max(most, 1) + 1))))


def chance(of: CountsLike, kind: CountsLike, drawn: CountsLike, met: CountsLike | int) -> Floats:
    """The chance that `met` of the documents of a kind are among those drawn from so many.

    >>> chance(np.array([4]), np.array([2]), np.array([2]), 1).round(4)  # 4 of the 6 pairs
    array([0.6667])
    """
    met = np.broadcast_to(np.asarray(met), np.shape(drawn))
    ways = log_choices(kind, met) + log_choices(of - kind, drawn - met) - log_choices(of, drawn)
    return np.exp(ways)


def place_chance(of: CountsLike, kind: CountsLike, place: CountsLike, which: CountsLike) -> Floats:
    """The chance that the document in this place, from 1, is the first, second, ... of its kind among so many.

    >>> place_chance(np.array([3]), np.array([1]), np.array([2]), np.array([1])).round(4)
    array([0.3333])
    """
    ways = log_choices(place - 1, which - 1) + log_choices(of - place, kind - which) - log_choices(of, kind)
    return np.exp(ways)


def mean_over_count(
    of: CountsLike, kind: CountsLike, drawn: CountsLike, value: Callable[[Ints, int], Floats]
) -> Floats:
    """Means over the number of documents of a kind among those drawn; all arrays are of one shape.

    Parameters
    ----------
    of, kind, drawn
        How many documents there are, how many of the kind, and how many are drawn.
    value
        Called with places in the flat arrays and a number of documents of the kind that were drawn, gives the values
        there.

    Returns
    -------
    Floats
        The means, in the shape of the arrays.

    Examples
    --------
    >>> four, two = np.array([4]), np.array([2])
    >>> mean_over_count(four, two, two, lambda where, met: np.full(len(where), float(met))).round(12)
    array([1.])
    """
    size, count, places = (np.asarray(column, dtype=np.int64).ravel() for column in (of, kind, drawn))
    others = size - count - places  # of another kind, less those drawn if none of the kind is
    factorial = _log_factorials(int(size.max(initial=0)))
    ways = factorial[count] + factorial[size - count] - factorial[size] + factorial[places] + factorial[size - places]
    total, chances = np.zeros(size.shape), np.zeros(size.shape)
    where, met = np.arange(len(size)), 0
    while len(where):
        here = where[others[where] + met >= 0]
        left = factorial[count[here] - met] + factorial[places[here] - met] + factorial[others[here] + met]
        share = np.exp(ways[here] - factorial[met] - left)
        total[here] += share * value(here, met)
        chances[here] += share
        met += 1
        where = where[np.minimum(count[where], places[where]) >= met]
    mean: Floats = total / chances  # the chances add up to 1, but for rounding
    return mean.reshape(np.shape(drawn))


class TiedMean(NamedTuple):
    """Means over the orders of tied documents for which the measure is defined, (topic,) or (topic, rank)."""

    value: Floats
    error: Floats  # the standard error of a mean over orders drawn; 0 where the mean is that of all orders
    complete: Bools  # (topic,): whether they are those of all orders
    some: Bools  # (topic,): whether the measure is defined for some orders, and for others not


class TiedRange(NamedTuple):
    """Lowest and highest values over the orders of tied documents that have one, (topic,) or (topic, rank)."""

    lowest: Floats
    highest: Floats
    complete: Bools  # (topic,): whether they are those of all orders, and not of some drawn
    some: Bools  # (topic,): whether the measure is defined for some orders, and for others not


class RankingView(NamedTuple):
    """How rankings are read before they are measured."""

    depth: int | None = None  # where they are cut
    condensed: bool = False  # whether unjudged documents are then taken out

    def of(self, judged: Judged) -> Judged:
        """Rankings in one order, as they are measured."""
        seen = judged if self.depth is None else judged.cut(self.depth)
        return seen.only_judged() if self.condensed else seen

    def uncut(self, judged: Judged) -> Judged:
        """Rankings before the cut."""
        return judged.only_judged() if self.condensed else judged

    def ended(self, judged: Judged) -> Iterator[tuple[Floats, Judged]]:
        """(topic,), how likely a cut is, with the rankings of `uncut` ended there, as tables of every rank."""
        seen = self.uncut(judged)
        table = seen.every_rank(int(seen.length.max(initial=0)))
        for share, length in self.ends(judged):
            yield share, table.ended(length)

    def ends(self, judged: Judged) -> Iterator[tuple[Floats, Ints]]:
        """(topic,) twice: where the cut may leave the rankings of `uncut`, and how likely that is.

        The cut comes before unjudged documents are taken out, so that it may leave more or fewer judged ones.
        """
        if self.depth is None:
            yield np.ones(judged.topics), judged.length
        elif not self.condensed:
            yield np.ones(judged.topics), np.minimum(judged.length, self.depth)
        else:
            size, held, drawn, above = _parted_group(judged, self.depth)
            for met in range(int(np.minimum(held, drawn).max(initial=0)) + 1):
                yield chance(size, held, drawn, met), above + met


def _parted_group(judged: Judged, depth: int) -> tuple[Ints, Ints, Ints, Ints]:
    """(topic,) each, of the tie group that a cut parts: documents, judged ones, documents down to it, judged above it.

    Where it parts none that holds a judged document, the group is empty.
    """
    is_judged = judged.is_judged() > 0
    parts = (judged.first <= depth) & (depth < judged.last)
    first = np.where(parts, judged.first, 0).max(axis=-1, initial=0).astype(np.int64)
    size = np.where(parts, judged.last - judged.first + 1, 0).max(axis=-1, initial=0).astype(np.int64)
    held = np.count_nonzero(is_judged & parts, axis=-1)
    above = np.count_nonzero(is_judged & (judged.last <= depth), axis=-1)
    return size, held, np.where(size > 0, depth - first + 1, 0), above


def tied_mean(measure: "Measure", judged: Judged, view: RankingView, orders: TieOrders) -> TiedMean:
    """(topic,): the mean over the orders of tied documents that have a value, exact where the measure knows it."""
    mean, exact = np.zeros(judged.topics), ~judged.tied_rows
    defined = np.ones(judged.topics)  # share of the orders that have a value
    if measure.knows_tied_means:
        exact = np.ones(judged.topics, dtype=bool)
        total = np.zeros(judged.topics)
        for share, ended in view.ended(judged):
            known = measure.exact_mean(ended)
            exact &= known | (share == 0)
            some = np.flatnonzero(known & (share > 0))
            if len(some):
                kept = ended if len(some) == len(known) else ended.rows(some)
                value = measure.tied_value(kept)
                has_value = measure.tied_defined(kept, end_of(measure, kept))[:, 0]
                weight = np.where(np.isnan(value), 0.0, share[some] * has_value)
                mean[some] += np.where(weight > 0, weight * value, 0.0)
                total[some] += weight
        with np.errstate(invalid="ignore"):  # 0/0 where no order has a value
            mean, defined = mean / total, total
    elif exact.any():
        mean[exact] = measure.without_running_total(view.of(judged.rows(exact)))
    return _filled_in(mean, is_some(defined), _in_orders(measure, judged, np.flatnonzero(~exact), view, orders))


def _filled_in(mean: Floats, some: Bools, in_orders: Iterator[InOrders]) -> TiedMean:
    """Exact means, and of the other rankings what was seen in several orders."""
    error, complete = np.where(np.isnan(mean), np.nan, 0.0), np.ones(len(mean), dtype=bool)
    for at, several, values in in_orders:
        mean[at], error[at], partly = several.mean(values)
        complete[at], some[at] = several.complete, partly.reshape(len(at), -1).any(axis=-1)
    return TiedMean(mean, error, complete, some)


def is_some(share: Floats) -> Bools:
    """Whether a share, which is a sum of chances, is neither 0 nor 1."""
    return (share > ROUNDING) & (share < 1 - ROUNDING)


def partly_defined(measure: "Measure", judged: Judged, view: RankingView) -> Bools:
    """(topic,): whether the measure is defined for some orders of tied documents, and for others not."""
    if not measure.undefined:
        return np.zeros(judged.topics, dtype=bool)
    defined = np.zeros(judged.topics)
    for share, ended in view.ended(judged):
        defined += share * measure.tied_defined(ended, end_of(measure, ended))[:, 0]
    return is_some(defined)


def end_of(measure: "Measure", table: Judged) -> Ints:
    """(topic, 1): the rank at which values are read: the depth, or the end of each ranking."""
    rank = table.length[:, None] if measure.depth is None else np.full((table.topics, 1), measure.depth)
    return rank.astype(np.int64)


def tied_bounds(measure: "Additive", judged: Judged, view: RankingView) -> tuple[Floats, Floats]:
    """(topic,) twice: the bounds of the mean over the orders of tied documents."""
    lower, upper = np.zeros(judged.topics), np.zeros(judged.topics)
    for share, ended in view.ended(judged):
        lowest, highest = measure.tied_bounds(ended)
        lower, upper = lower + share * lowest, upper + share * highest
    return lower, upper


def tied_range(measure: "Measure", judged: Judged, view: RankingView, orders: TieOrders) -> TiedRange:
    """(topic,): the lowest and the highest value over the orders of tied documents, of all where the measure can."""
    seen = view.uncut(judged)
    lowest, highest = np.full(judged.topics, np.inf), np.full(judged.topics, -np.inf)
    exact = np.ones(judged.topics, dtype=bool)
    for share, length in view.ends(judged):
        ended = seen if view.depth is None else seen.ended(length)
        exact &= measure.exact_range(ended) | (share == 0)
        for order in measure.extreme_orders(ended):
            value = measure.without_running_total(order if view.depth is None else order.cut(length))
            lowest = np.where(share > 0, np.fmin(lowest, value), lowest)
            highest = np.where(share > 0, np.fmax(highest, value), highest)
    undefined = lowest > highest  # no order has a value
    lowest[undefined] = highest[undefined] = np.nan
    drawn = np.flatnonzero(~exact & judged.tied_rows)
    plain = measure.without_running_total(view.of(judged.rows(drawn))) if len(drawn) else np.zeros(0)
    made = _widened(lowest, highest, drawn, plain, _in_orders(measure, judged, drawn, view, orders))
    return made._replace(some=made.some | partly_defined(measure, judged, view))


def tied_mean_curve(measure: "Measure", seen: Judged, table: Judged, orders: TieOrders) -> TiedMean:
    """(topic, rank): the mean curve; `seen` are the rankings, `table` the same with every rank."""
    mean, known = np.zeros(table.rank.shape), measure.knows_tied_means
    exact = measure.exact_mean(table, every_rank=True) if known else ~seen.tied_rows
    if exact.any():
        some, kept = (seen, table) if exact.all() else (seen.rows(exact), table.rows(exact))
        curve = measure.tied_curve(kept) if known else measure.curve(kept)
        whole = partial(measure.tied_value, kept) if known else partial(measure.without_running_total, some)
        mean[exact] = stopped(measure, some, kept, curve, whole)
    in_orders = _in_orders(measure, seen, np.flatnonzero(~exact), RankingView(), orders, table.rank.shape[-1])
    return _filled_in(mean, ~measure.all_orders_alike(table, every_rank=True), in_orders)


def tied_range_curve(measure: "Measure", seen: Judged, table: Judged, orders: TieOrders) -> TiedRange:
    """(topic, rank): the lowest and the highest value at each rank; `seen` and `table` as for means."""
    width = table.rank.shape[-1]
    first, second = (_curve(measure, order, width) for order in measure.extreme_orders(seen))
    drawn = np.flatnonzero(~measure.exact_range(table, every_rank=True) & seen.tied_rows)
    plain = _curve(measure, seen.rows(drawn), width) if len(drawn) else np.zeros((0, width))
    in_orders = _in_orders(measure, seen, drawn, RankingView(), orders, width)
    made = _widened(np.fmin(first, second), np.fmax(first, second), drawn, plain, in_orders)
    if not measure.undefined:
        return made
    return made._replace(some=made.some | ~measure.all_orders_alike(table, every_rank=True))


def _in_orders(
    measure: "Measure", judged: Judged, topics: Ints, view: RankingView, orders: TieOrders, width: int = 0
) -> Iterator[InOrders]:
    """Some of the rankings in several orders: their values, or curves of this width."""
    if len(topics) == 0:
        return
    # Unjudged documents that are taken out differ from those that are judged and ignored.
    ignored = measure.ignored(judged.levels) & (not view.condensed)
    for several in reordered(judged.rows(topics), orders, ignored, width, apart=bool(measure.looks_at)):
        rankings = several.rankings
        values = _curve(measure, rankings, width) if width else measure.without_running_total(view.of(rankings))
        yield topics[several.topics], several, values


def _widened(lowest: Floats, highest: Floats, drawn: Ints, plain: Floats, in_orders: Iterator[InOrders]) -> TiedRange:
    """A range, widened to what was seen of the rankings at `drawn`: as they stand, and in other orders."""
    complete, some = np.ones(len(lowest), dtype=bool), np.zeros(len(lowest), dtype=bool)
    lowest[drawn], highest[drawn] = np.fmin(lowest[drawn], plain), np.fmax(highest[drawn], plain)
    for at, several, values in in_orders:
        _, _, partly = several.mean(values)
        complete[at], some[at] = several.complete, partly.reshape(len(at), -1).any(axis=-1)
        low, high = several.extremes(values)
        lowest[at], highest[at] = np.fmin(lowest[at], low), np.fmax(highest[at], high)
    return TiedRange(lowest, highest, complete, some)


def _curve(measure: "Measure", seen: Judged, width: int) -> Floats:
    table = seen.every_rank(width)
    return stopped(measure, seen, table, measure.curve(table), partial(measure.without_running_total, seen))


def stopped(measure: "Measure", seen: Judged, table: Judged, curve: Floats, whole: Callable[[], Floats]) -> Floats:
    """A curve that stays where it is when the ranking ends, for measures that take no depth: their sets do not grow."""
    return curve if measure.takes_depth else np.where(table.rank < seen.length[:, None], curve, whole()[:, None])


def frozen_below(total: Floats, table: Judged) -> Floats:
    """(topic, rank): a running column that stays as it is where rankings end."""
    place = np.minimum(np.arange(total.shape[-1]), np.maximum(table.length[:, None] - 1, 0))
    return np.where(table.length[:, None] > 0, np.take_along_axis(total, place, axis=-1), 0.0)


def at_end(column: Floats | Ints, end: Ints, start: float = 0) -> Floats:
    """(topic, any): a running column of a table of every rank, read at these ranks; `start` at rank 0."""
    wide = np.pad(column, ((0, 0), (1, 0)), constant_values=start)
    return np.take_along_axis(wide, np.minimum(end, column.shape[-1]), axis=-1).astype(np.float64)


def ends_at(table: Judged, rank: Ints) -> Ints:
    """(topic, any): these ranks, or where each ranking ends if that is above them."""
    return np.minimum(np.broadcast_to(rank, (table.topics, rank.shape[-1])), table.length[:, None]).astype(np.int64)
