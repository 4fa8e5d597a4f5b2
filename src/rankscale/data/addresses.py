"""Addresses of files in other places, such as `s3://bucket/run.txt`."""

import os
import re

PLACE = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)


def is_remote(source: str) -> bool:
    """Whether this is an address rather than a path.

    >>> is_remote("s3://runs/bm25.csv"), is_remote("runs/bm25.csv")
    (True, False)
    """
    return "://" in source and PLACE.match(source) is not None and not os.path.exists(source)
