"""T26 and T27 without their runs, and the averages of all three collections."""

from collections import Counter
from itertools import pairwise, product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.studies.changes.mean_change import mean_change, mean_changes
from reproduction import claims, other_collections, other_published, rbp_tables
from reproduction import mean_changes as averages
from reproduction.interval_tables import COLUMNS


def test_published_counts_and_shares_belong_together() -> None:
    assert list(other_published.SIGNIFICANCE) != list(COLUMNS)
    assert sorted(other_published.SIGNIFICANCE) == sorted(COLUMNS)
    rows = [row.split() for rows in other_published.SIGNIFICANCE.values() for row in rows.strip().splitlines()]
    assert len(rows) == 88
    for numbers in rows:
        for significant, lost, gained, share in (numbers[:4], numbers[4:]):
            assert f"{100 * (int(lost) + int(gained)) / int(significant):.2f}%" == share
    for _, _, *numbers in other_collections.agreements():
        for before, after, percent in (numbers[:3], numbers[3:]):
            assert abs(100 * (float(after) / float(before) - 1) - float(percent.rstrip("%"))) < 0.02


def test_the_headline() -> None:
    """REPRODUCE.md and the paper's abstract: 25% with 11."""
    by_track = averages.published_changes()
    everything = [cell for track in by_track.values() for cell in track]
    assert len(everything) == 3 * 11 * 8
    means = mean_changes(everything)
    shown = {
        name: (mean.cells, *(f"{100 * share:.2f}" for share in (mean.change, mean.half_width, mean.lost, mean.gained)))
        for name, mean in means.items()
    }
    assert shown["can change"][:3] == (156, "25.05", "10.72")
    assert shown["spacing"][3:] == ("12.61", "5.17")
    assert shown["recall base"][3:] == ("1.25", "4.22")
    assert shown["recall base and spacing"][3:] == ("9.60", "44.13")  # 44.14 with a misprint: see the page
    assert shown["all"][1] == "14.80"
    assert f"{100 * mean_change(everything, averages.NOT_INTERVAL).change:.1f}" == "18.1"
    assert f"{100 * mean_changes(by_track['T08'])['can change'].change:.2f}" == "25.01"
    assert [cell.met for cell in averages.cells()] == [True, True, True, True, False, True, True, False]


def test_recall_at_ten_from_published_means(shared_data: Path) -> None:
    taus = [cell for cell in other_collections.recall_cells(shared_data) if "N = 10" in cell.row]
    assert [cell.shown for cell in taus] == ["0.8193", "0.7914"]
    assert [cell.published for cell in taus] == ["0.8207", "0.7860"]
    facts = list(other_collections.fact_cells(shared_data))
    assert all(cell.met for cell in facts)
    assert [int(other_collections.recall_base(shared_data, track).min()) for track in ("T08", "T26", "T27")] == [
        6,
        7,
        5,
    ]


@pytest.mark.parametrize("track", other_published.TRACKS)
def test_limits_hold_however_rounded_means_are_ordered(track: str, shared_data: Path) -> None:
    lowest, highest = other_collections.limits(shared_data, track)
    precision, recall = other_collections.both(shared_data, track)
    drawn = np.random.default_rng(0).uniform(-4.9e-5, 4.9e-5, size=(200, len(recall)))
    taus = [stats.kendalltau(precision, recall + within).statistic for within in drawn]
    assert lowest <= min(taus)
    assert max(taus) <= highest
    # The ends: runs that tie in recall ordered as by precision, and the other way round.
    best, worst = (stats.kendalltau(precision, recall + sign * 1e-6 * precision).statistic for sign in (1, -1))
    assert highest == pytest.approx(best, abs=1e-12)
    assert worst - lowest < 5e-4


def test_what_follows_for_any_runs_is_published_and_fits() -> None:
    known = list(other_collections.known_for_any_runs())
    assert len(known) == 22 + 8 + 10 + 216 + 48
    assert all(one.met for one in known)
    counts = [(int(pairs), int(equal)) for _, pairs, equal in other_collections.fitting()]
    assert counts == [(16, 16), (4, 4), (72, 72), (20, 20)]
    assert sum(other_collections.published_cells().values()) == 88 + 88 + 330 + 448 + 256


def test_signed_rank_with_continuity_is_that_of_scipy() -> None:
    drawn = np.random.default_rng(1).integers(-6, 7, size=(30, 50)).astype(float)
    drawn[0] = 0
    ours = rbp_tables.signed_rank_with_continuity(drawn)
    assert ours[0] == 1
    for row, p in zip(drawn[1:], ours[1:], strict=True):
        theirs = stats.wilcoxon(row, zero_method="wilcox", correction=True, method="asymptotic").pvalue
        assert p == pytest.approx(theirs, rel=1e-12)


def test_claims_that_need_no_runs() -> None:
    gaps = [claim.numbers for claim in claims.unused_ranges("")]
    assert [numbers.split(":")[0] for numbers in gaps] == [
        "widest gap 0.7500 to 1.0000",
        "widest gap 0.5000 to 1.0000",
        "widest gap 0.2919 to 0.7000",
    ]
    values = sorted({round(value, 12) for value in claims.every_value("RBP(p=0.3)")})
    assert len(values) == 16
    assert max(high - low for low, high in pairwise(values)) == pytest.approx(0.7 - 0.3 * 0.973, abs=1e-12)
    tied = claims.tied_values("")
    assert not tied.holds
    assert "N = 10: 768 distinct values of 1,024 rankings" in tied.numbers  # SPEC 7: K = 24, 768, 24576
    assert "the share is 3/4 at each, and no more than 2 rankings share a value" in tied.numbers
    sums: Counter[tuple[int, ...]] = Counter()  # ranks 1 and 2 count alike, and no others: see docs/independence.md
    for ranking in product((0, 1), repeat=10):
        sums[ranking[0] + ranking[1], *ranking[2:]] += 1
    assert (len(sums), sorted(set(sums.values()))) == (768, [1, 2])
    assert sorted(claims.clusters(10)) == sorted(sums.values())
    assert claims.mid_ranks() == (115, 12, 132)
    more, of = claims.parametric_tests()
    assert of == 33
    assert more["student"] == 8


def test_claims_about_robustness_and_effort(shared_data: Path) -> None:
    """REPRODUCE.md: 26 runs at 10%, .626 against .816; 34.8% against 39.6%; 61%."""
    *_, (shown, setting, runs) = claims.robust_sets(shared_data)
    assert (shown, len(runs)) == ("TREC-8, every fifth run (26)", 26)
    assert [f"{tau:.3f}" for tau in claims.at_ten_percent(shared_data, setting, runs)] == ["0.626", "0.816"]
    diagonal, high, top = claims.areas(shared_data, setting)
    assert (f"{diagonal:.3f}", f"{high:.3f}", f"{top:.2f}") == ("0.396", "0.348", "0.61")


def test_rankings_without_backward_space_ratio(trec_8: tuple[Any, Any], shared_data: Path) -> None:
    """Relevance is binary: all of the backward space is used where the first RB documents are not relevant."""
    zeros = claims.backward_zeros(shared_data)
    assert {name: number for name, number in zeros.items() if number} == {
        "worst": 143,
        "typical A": 239,
        "typical B": 93,
    }
    precision, found = rs.evaluate(*trec_8, ["Rprec", "NumRelRet"]).values
    assert np.count_nonzero(precision == 0) == 143 + 239 + 93
    assert np.count_nonzero((precision == 0) & (found == 0)) == 143
