"""Several plots in one figure: how many stand beside each other."""

import math

from rankscale.figures.base.figure import TEXT_WIDTH, Space

MOST = 4  # in a row


def columns_of(panels: int, space: Space, narrowest: float, most: int = MOST) -> int:
    """How many panels stand in a row: no more than fit, and rows as even as can be.

    `narrowest` is how wide a panel with its axis must be, in heights of letters. What counts is the width of the whole
    figure, which does not change while plots are made smaller until all fits.
    """
    whole = max(space.width, space.look.width or TEXT_WIDTH)
    fitting = max(1, int(whole / (narrowest * space.look.font_size)))
    rows = math.ceil(panels / min(panels, fitting, most))
    return math.ceil(panels / rows)
