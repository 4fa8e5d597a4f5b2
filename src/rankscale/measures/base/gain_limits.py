"""Gains that a formula can take: some ask for gains of 0 or more, some for gains from 0 to 1."""

import math

from rankscale.data.arrays import Floats
from rankscale.errors import ParameterError


def gains_within(measure: str, gains: Floats, levels: Floats, most: float = math.inf) -> Floats:
    """The gains of these levels as they are; an error where one is below 0 or above `most`."""
    refused = (gains < 0) | (gains > most)
    if refused.any():
        grade, gain = float(levels[refused][0]), float(gains[refused][0])
        wanted = "0 or more" if most == math.inf else f"from 0 to {most:g}"
        raise ParameterError(f"{measure}: gains must be {wanted}, and grade {grade:g} gains {gain:g}")
    return gains
