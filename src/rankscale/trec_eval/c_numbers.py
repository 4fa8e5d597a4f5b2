"""Numbers as C's atol and atof read them: the longest start of the text that is a number, 0 if there is none."""

import math
import re

_LONG = re.compile(r"[ \t\n\v\f\r]*([+-]?[0-9]+)")
_DOUBLE = re.compile(
    r"[ \t\n\v\f\r]*([+-]?(?:inf(?:inity)?|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?))", re.IGNORECASE
)
_HEXADECIMAL = re.compile(
    r"[ \t\n\v\f\r]*([+-]?0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?[0-9]+)?)", re.IGNORECASE
)
_LARGEST = 2**63 - 1


def atol(text: str) -> int:
    """A whole number.

    >>> [atol(text) for text in ("20", "23.4", "-1x", "ten")]
    [20, 23, -1, 0]
    """
    number = _LONG.match(text)
    return max(-_LARGEST - 1, min(int(number[1]), _LARGEST)) if number else 0


def atof(text: str) -> float:
    """A real number.

    >>> [atof(text) for text in ("4.5", ".25", "1e2x", "1e", "ten", "0x1p-1")]
    [4.5, 0.25, 100.0, 1.0, 0.0, 0.5]
    """
    if hexadecimal := _HEXADECIMAL.match(text):
        try:
            return float.fromhex(hexadecimal[1])
        except OverflowError:
            return math.copysign(math.inf, -1 if "-" in hexadecimal[1].partition("0")[0] else 1)
    number = _DOUBLE.match(text)
    return float(number[1]) if number else 0.0
