"""Prove that values of discounted gain tie only within groups of ranks, and write the proof's numbers into the page.

The statement, and why these steps prove it, is in docs/independence.md. For each N the program takes the numbers
x_0 = 1 and x_c = 1 / (D_c ln c), c the roots to N, and shows that no whole numbers a, not all zero and none greater
than a bound B, have sum a_i x_i = 0:

1. X_i = 2^P x_i, rounded to within 1. The rows (e_i, X_i) span a lattice.
2. A reduced basis of the lattice is found by LLL. That it spans the same lattice is checked: the first n columns of
   the basis, T, have determinant 1 or -1, and T X is its last column.
3. The Gram-Schmidt norms of the basis are computed in whole numbers, without rounding. No vector of the lattice is
   shorter than the least of them.
4. A relation would be a vector no longer than B sqrt(n + n^2). B is the greatest whole number for which that is less.

Only step 2 needs a library: `pip install python-flint`, and then `python tools/prove_independence.py`. Nothing is
taken from the library on trust: step 2's check and all other steps are whole numbers and Decimal logarithms, which
Python rounds correctly.
"""

import argparse
import math
import sys
import time
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from pathlib import Path

from rankscale.scales.counting.groups import power_of_root

PAGE = Path(__file__).resolve().parent.parent / "docs" / "independence.md"
START, END = "<!-- table: tools/prove_independence.py -->", "<!-- end of table -->"
PRECISIONS = {30: 1300, 64: 2600, 101: 4600}  # N: bits of P, chosen so that the bound is far above what is needed

Matrix = list[list[int]]


@dataclass(frozen=True)
class Certificate:
    """What was proven for one N."""

    n: int  # greatest number whose root is among the numbers
    numbers: int
    bits: int
    shortest: int  # no vector of the lattice is shorter than this
    bound: int  # B
    seconds: float

    def row(self) -> str:
        """A line of the page's table."""
        return (
            f"| {self.n} | {self.numbers} | {self.bits} | {self.shortest:.2e} | {self.bound:.2e} | {self.seconds:.0f} |"
        )


def roots(n: int) -> dict[int, int]:
    """The roots to n, and for each the least common multiple of the exponents whose powers do not exceed n."""
    exponents: dict[int, list[int]] = {}
    for number in range(2, n + 1):
        root, exponent = power_of_root(number)
        exponents.setdefault(root, []).append(exponent)
    return {root: math.lcm(*found) for root, found in sorted(exponents.items())}


def scaled_numbers(n: int, bits: int) -> list[int]:
    """2^bits times 1, and times 1 / (D_c ln c) for each root c; each within 1 of the true number."""
    with localcontext(Context(prec=math.ceil(bits * math.log10(2)) + 50)):
        others = [int(Decimal(1 << bits) / (multiple * Decimal(root).ln())) for root, multiple in roots(n).items()]
    return [1 << bits, *others]


def reduced(numbers: list[int]) -> Matrix:
    """A reduced basis of the lattice of the rows (e_i, X_i)."""
    try:
        import flint  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        sys.exit("this proof needs python-flint to find short vectors: pip install python-flint")
    size = len(numbers)
    rows = [[int(i == j) for j in range(size)] + [number] for i, number in enumerate(numbers)]
    return [[int(entry) for entry in row] for row in flint.fmpz_mat(rows).lll().tolist()]


def check_same_lattice(basis: Matrix, numbers: list[int]) -> None:
    """Refuse a basis that is not a whole-number transform, with determinant 1 or -1, of the rows it came from."""
    transform = [row[:-1] for row in basis]
    if any(
        sum(t * x for t, x in zip(row, numbers, strict=True)) != full[-1]
        for row, full in zip(transform, basis, strict=True)
    ):
        sys.exit("the reduced basis has vectors that are not of the lattice")
    if abs(leading_minors(transform)[-1]) != 1:
        sys.exit("the reduced basis does not span the whole lattice")


def leading_minors(matrix: Matrix) -> list[int]:
    """The determinants of the first 1, 2, ... rows and columns, by Bareiss' elimination: all divisions are exact.

    Where one but the last is zero, rows are exchanged, and only the size of the last is still meant.
    """
    rows = [list(row) for row in matrix]
    previous = 1
    minors: list[int] = []
    for place in range(len(rows)):
        if rows[place][place] == 0:
            found = next((i for i in range(place, len(rows)) if rows[i][place] != 0), None)
            if found is None:
                return [*minors, *[0] * (len(rows) - place)]
            rows[place], rows[found] = rows[found], rows[place]
        pivot_row, pivot = rows[place], rows[place][place]
        for row in rows[place + 1 :]:
            lead = row[place]
            row[place + 1 :] = [
                (pivot * entry - lead * above) // previous
                for entry, above in zip(row[place + 1 :], pivot_row[place + 1 :], strict=True)
            ]
        previous = pivot
        minors.append(pivot)
    return minors


def least_norm(basis: Matrix) -> int:
    """The least Gram-Schmidt norm, rounded down: norms squared are quotients of minors of the Gram matrix."""
    gram = [[sum(a * b for a, b in zip(row, other, strict=True)) for other in basis] for row in basis]
    minors = [1, *leading_minors(gram)]
    return min(math.isqrt(minors[i + 1] // minors[i]) for i in range(len(basis)))


def certificate(n: int, bits: int) -> Certificate:
    """Prove it for one N."""
    begin = time.process_time()
    numbers = scaled_numbers(n, bits)
    basis = reduced(numbers)
    check_same_lattice(basis, numbers)
    shortest = least_norm(basis)
    size = len(numbers)
    bound = math.isqrt((shortest**2 - 1) // (size + size**2))  # B^2 (n + n^2) < shortest^2
    return Certificate(n, size, bits, shortest, bound, time.process_time() - begin)


def main() -> None:
    """Prove it for every N, print the table, and write it into the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--print", action="store_true", help="leave the page as it is")
    options = parser.parse_args()
    lines = [
        "| N | numbers n | bits P | least Gram-Schmidt norm | bound B | seconds |",
        "|--:|----------:|-------:|------------------------:|--------:|--------:|",
    ]
    for n, bits in PRECISIONS.items():
        lines.append(certificate(n, bits).row())
        print(lines[-1], flush=True)
    if not options.print:
        text = PAGE.read_text(encoding="utf-8")
        before, after = text.split(START)[0], text.split(END)[1]
        PAGE.write_text(f"{before}{START}\n\n" + "\n".join(lines) + f"\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
