"""p-values in sentences."""

import math

MOST_DIGITS = 17


def p_text(p: float, alpha: float = 0.05) -> str:
    """A p-value, with as many digits as it takes to see whether it is below alpha.

    >>> p_text(0.02613, 0.05), p_text(0.04999, 0.05), p_text(1e-9, 0.05), p_text(float("nan"), 0.05)
    ('p = 0.026', 'p = 0.04999', 'p < 0.0001', 'not tested')
    """
    if math.isnan(p):
        return "not tested"
    if p < 0.0001 <= alpha:
        return "p < 0.0001"
    texts = (f"{p:.{digits}g}" for digits in range(2, MOST_DIGITS + 1))
    return f"p = {next(text for text in texts if (float(text) < alpha) == (p < alpha))}"
