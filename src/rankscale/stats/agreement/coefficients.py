"""All coefficients of agreement by name, over one matrix or many."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import get_args

from rankscale.data.arrays import Floats
from rankscale.stats.agreement.alpha import Difference, krippendorff_alpha
from rankscale.stats.agreement.fleiss import fleiss_kappa
from rankscale.stats.agreement.gwet import gwet_ac
from rankscale.stats.agreement.kappa import cohen_kappa, observed_agreement
from rankscale.stats.agreement.weights import Spacing

Compute = Callable[[Floats, Sequence[float], Spacing], Floats]


@dataclass(frozen=True)
class Coefficient:
    """A coefficient: what it is called in a sentence, and its values for matrices (..., level, level)."""

    words: str
    compute: Compute


COEFFICIENTS: Mapping[str, Coefficient] = MappingProxyType(
    {
        "agreement": Coefficient("share of items with the same grade", lambda n, _l, _s: observed_agreement(n)),
        "kappa": Coefficient("Cohen's kappa", lambda n, levels, s: cohen_kappa(n, levels, "none", s)),
        "kappa_linear": Coefficient(
            "Cohen's kappa, linear weights", lambda n, levels, s: cohen_kappa(n, levels, "linear", s)
        ),
        "kappa_quadratic": Coefficient(
            "Cohen's kappa, quadratic weights", lambda n, levels, s: cohen_kappa(n, levels, "quadratic", s)
        ),
        "alpha_nominal": Coefficient(
            "Krippendorff's alpha, nominal", lambda n, levels, _s: krippendorff_alpha(_both_ways(n), levels, "nominal")
        ),
        "alpha_ordinal": Coefficient(
            "Krippendorff's alpha, ordinal", lambda n, levels, _s: krippendorff_alpha(_both_ways(n), levels, "ordinal")
        ),
        "alpha_interval": Coefficient(
            "Krippendorff's alpha, interval",
            lambda n, levels, _s: krippendorff_alpha(_both_ways(n), levels, "interval"),
        ),
        "AC1": Coefficient("Gwet's AC1", lambda n, levels, _s: gwet_ac(n, levels)),
        "AC2_linear": Coefficient("Gwet's AC2, linear weights", lambda n, levels, _s: gwet_ac(n, levels, "linear")),
        "AC2_quadratic": Coefficient(
            "Gwet's AC2, quadratic weights", lambda n, levels, _s: gwet_ac(n, levels, "quadratic")
        ),
        "AC2_ordinal": Coefficient("Gwet's AC2, ordinal weights", lambda n, levels, _s: gwet_ac(n, levels, "ordinal")),
    }
)

# Of any number of assessors: values for coincidence matrices (..., level, level).
OF_SEVERAL: Mapping[str, Coefficient] = MappingProxyType(
    {
        "agreement": Coefficient("share of pairs of grades that are the same", COEFFICIENTS["agreement"].compute),
        **{
            f"alpha_{kind}": Coefficient(
                f"Krippendorff's alpha, {kind}",
                lambda n, levels, _s, kind=kind: krippendorff_alpha(n, levels, kind),  # type: ignore[misc]
            )
            for kind in get_args(Difference)
        },
    }
)
OF_AS_MANY: Mapping[str, Coefficient] = MappingProxyType(  # of items that have as many grades
    {"kappa_fleiss": Coefficient("Fleiss' kappa", lambda n, _l, _s: fleiss_kappa(n))}
)


def _both_ways(matrix: Floats) -> Floats:
    """(..., level, level): the coincidence matrix of two assessors."""
    return matrix + matrix.swapaxes(-1, -2)
