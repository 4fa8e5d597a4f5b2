"""The gate, equivalence, power and the interaction of groups on TREC-8: statsmodels 0.15 and scipy."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import rankscale as rs
from rankscale.stats.margin import Margin
from rankscale.stats.noninferiority import differences, equivalence, power_of, randomised, student
from rankscale.stats.resampling.groups import interaction

REASON = "it is among the development dependencies"
weightstats: Any = pytest.importorskip("statsmodels.stats.weightstats", reason=REASON)
power_module: Any = pytest.importorskip("statsmodels.stats.power", reason=REASON)
pd: Any = pytest.importorskip("pandas", reason=REASON)

EXACT = 1e-12
ALPHA, MARGIN = 0.05, 0.02


def test_the_gate_is_the_first_of_two_one_sided_tests(eight_values: rs.Evaluation) -> None:
    made = rs.gate(eight_values["AP"], MARGIN, correction="none", equivalence=True, upper_margin=0.03)
    baseline = eight_values["AP"].values[0, 0]
    for row, candidate in zip(made.rows, eight_values["AP"].values[0, 1:], strict=True):
        p, (_, p_low, _), (_, p_high, _) = weightstats.ttost_paired(candidate, baseline, -MARGIN, 0.03)
        assert row.p.noninferior == pytest.approx(p_low, rel=EXACT, abs=1e-15)
        assert row.p.worse == pytest.approx(1 - p_low, rel=1e-9, abs=EXACT)
        assert row.p.equivalent == pytest.approx(p, rel=EXACT, abs=1e-15)
        within = equivalence(differences(candidate, baseline), baseline, student, Margin(MARGIN), Margin(0.03))
        assert within == pytest.approx(p, rel=EXACT)
        assert row.p.noninferior == pytest.approx(
            stats.ttest_rel(candidate + MARGIN, baseline, alternative="greater").pvalue, rel=1e-9
        )
        assert p_high >= 0


def test_power_is_that_of_ttestpower(eight_values: rs.Evaluation) -> None:
    tool = power_module.TTestPower()
    baseline = eight_values["AP"].values[0, 0]
    for candidate in eight_values["AP"].values[0, 1:]:
        of = differences(candidate, baseline)
        made = power_of(of, MARGIN, ALPHA)
        assert made is not None
        effect, n = MARGIN / of.deviation, len(candidate)
        assert made.at_zero == pytest.approx(tool.power(effect, n, ALPHA, alternative="larger"), abs=1e-9)
        assert tool.power(made.detectable / of.deviation, n, ALPHA, alternative="larger") == pytest.approx(
            0.8, abs=1e-6
        )
        needed = made.topics_needed
        assert needed is not None
        assert needed == math.ceil(tool.solve_power(effect, None, ALPHA, 0.8, alternative="larger") - 1e-6)


def test_deviation_equal_differences_at_the_margin() -> None:
    """0 over 0 is NaN in statsmodels; here nothing is shown: inconclusive, and undefined where it must be a number."""
    base = np.array([0.25, 0.5, 0.75])
    with pytest.warns(RuntimeWarning):
        _, (_, theirs, _), _ = weightstats.ttost_paired(base - 0.25, base, -0.25, 0.25)
    assert math.isnan(theirs)
    both = {"b": base, "c": base - 0.25}
    values = {name: {str(t): float(v) for t, v in enumerate(of)} for name, of in both.items()}
    assert rs.gate(rs.read_values(values, measure="P@20"), 0.25).verdict == "inconclusive"


def test_randomisation_is_the_permutation_test_of_scipy(eight_values: rs.Evaluation) -> None:
    baseline, candidate = eight_values["AP"].values[0, :2, :12]
    mine = randomised(differences(candidate, baseline), -MARGIN, samples=1, seed=0)
    for p, alternative in zip(mine, ("greater", "less"), strict=True):
        theirs = stats.permutation_test(
            (candidate - baseline + MARGIN,),
            np.sum,
            permutation_type="samples",
            alternative=alternative,
            n_resamples=np.inf,
        )
        assert p == pytest.approx(theirs.pvalue, abs=EXACT)


@pytest.mark.filterwarnings("ignore:The design matrix is rank-deficient")  # groups are made of topics
@pytest.mark.parametrize("runs", [2, 5])
def test_the_interaction_of_groups(eight_values: rs.Evaluation, runs: int) -> None:
    """Models with and without the interaction, topics as blocks; and the plain two-way analysis, blind to topics."""
    from statsmodels.formula.api import ols
    from statsmodels.stats.anova import anova_lm

    x = eight_values["AP"].values[0, :runs].T
    groups = np.arange(len(x)) % 3
    long = pd.DataFrame(
        [(float(v), t, s, int(groups[t])) for t, row in enumerate(x) for s, v in enumerate(row)],
        columns=["y", "topic", "system", "g"],
    )
    full = ols("y ~ C(topic) + C(system) + C(system):C(g)", long).fit()
    plain = ols("y ~ C(topic) + C(system)", long).fit()
    mine = interaction(x, groups)
    between = plain.ssr - full.ssr
    df = plain.df_resid - full.df_resid, full.df_resid
    assert mine.df == df
    assert (mine.between, mine.error) == pytest.approx((between, full.ssr), abs=EXACT)
    f = between / df[0] / (full.ssr / df[1])
    assert (mine.f, mine.p) == pytest.approx((f, stats.f.sf(f, *df)), rel=1e-9)
    table = anova_lm(ols("y ~ C(system) * C(g)", long).fit(), typ=2)
    cells = interaction(x, groups, error="cells")
    expected = table.loc["C(system):C(g)", "F"], table.loc["C(system):C(g)", "PR(>F)"]
    assert (cells.f, cells.p) == pytest.approx(expected, rel=1e-9)
    if runs == 2:
        one_way = stats.f_oneway(*(x[groups == g, 0] - x[groups == g, 1] for g in range(3)))
        assert (mine.f, mine.p) == pytest.approx((one_way.statistic, one_way.pvalue), rel=1e-9)
