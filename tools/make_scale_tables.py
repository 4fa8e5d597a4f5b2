"""Make the tables that are shipped with the package: distinct values of AP below boundaries, for some depths.

    python tools/make_scale_tables.py            # all of them, a minute or two
    python tools/make_scale_tables.py 20 25      # some

The count at depth 30 takes nearly all of the time. The same numbers come out on every machine.
"""

import os
import sys
import time
from io import BytesIO

import numpy as np

from rankscale.scales.counting.average_precision import (
    FOLDER,
    FORMAT,
    GAINS,
    checksum_of,
    path_of,
    sum_of_precisions,
)
from rankscale.scales.counting.image import Universe
from rankscale.scales.counting.windows import Checkpoints, WindowImage

DEPTHS = (20, 25, 28, 30)


def main(depths: list[int]) -> None:
    """Make a table for each depth, and say what it holds."""
    os.makedirs(FOLDER, exist_ok=True)
    for depth in depths or DEPTHS:
        started = time.process_time()
        made = counted(depth)
        write_table(path_of(depth), made)
        size, seconds = os.path.getsize(path_of(depth)), time.process_time() - started
        print(f"\rAP@{depth}: {made.counts[-1]:,} distinct values, {size:,} bytes, {seconds:.1f} s of CPU")


def counted(depth: int) -> Checkpoints:
    """The counts of AP at a depth, made afresh."""
    return WindowImage(Universe(GAINS, depth), sum_of_precisions(depth)).checkpoints(_show)


def write_table(path: str, made: Checkpoints) -> None:
    """Counts to a file."""
    content = BytesIO()
    np.savez_compressed(
        content,
        boundaries=made.boundaries,
        counts=made.counts,
        format=np.array(FORMAT),
        checksum=np.frombuffer(checksum_of(made.boundaries, made.counts), dtype=np.uint8),
    )
    with open(path, "wb") as file:
        file.write(content.getvalue())


def _show(done: int, of: int) -> None:
    if done % 64 == 0:
        print(f"\r{done:,} of {of:,} windows", end="", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main([int(depth) for depth in sys.argv[1:]])
