"""Names of runs, topics and measures, looked up and listed in messages; addresses of files in other places."""

import os
import re
from collections.abc import Sequence

import numpy as np

from rankscale.data.arrays import Ints
from rankscale.errors import UnknownNameError

SHOWN_NAMES = 5  # of those that a message lists
# In files of values, {run: topics}: null where not known, absent where none are missing.
MISSING_TOPICS = "missing_topics"


def place_of(names: Sequence[str], name: str, kind: str, holder: str) -> int:
    """The place of a name; raise UnknownNameError, with the names that there are, for any other."""
    if name not in names:
        raise UnknownNameError(kind, name, names, f"{holder} {listed(list(names))}")
    return list(names).index(name)


def listed(names: list[str]) -> str:
    """The first few of some names."""
    return ", ".join(names[:SHOWN_NAMES]) + (", ..." if len(names) > SHOWN_NAMES else "")


def counted(number: int, thing: str) -> str:
    """A number of things.

    >>> counted(1, "measure"), counted(24, "run")
    ('1 measure', '24 runs')
    """
    return f"{number:,} {thing}{'s' * (number != 1)}"


def counted_topics(counts: Ints) -> str:
    """How many topics something is over, where that may differ.

    >>> counted_topics(np.array([49, 50, 50])), counted_topics(np.array([1]))
    ('49 to 50 topics', '1 topic')
    """
    least, most = int(counts.min(initial=np.iinfo(np.int64).max)), int(counts.max(initial=0))
    return f"{most} topic{'s' * (most != 1)}" if least >= most else f"{least} to {most} topics"


PLACE = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_remote(source: str) -> bool:
    """Whether this is an address rather than a path.

    >>> is_remote("s3://runs/bm25.csv"), is_remote("runs/bm25.csv")
    (True, False)
    """
    return "://" in source and PLACE.match(source) is not None and not os.path.exists(source)
