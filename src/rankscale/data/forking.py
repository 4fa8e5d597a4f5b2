"""Processes that are forked while other threads compute.

A lock that another thread holds when a process forks is never freed in the child. Before Python 3.12 every
`functools.cached_property` has a lock, shared by all objects of the class and held while a value is computed: a child
that read the same property would wait for ever. The child gets new locks.
"""

import os
import sys
from functools import cached_property
from threading import RLock


def renew_locks() -> None:
    """Give the cached properties of this package new locks; called in a child right after the fork."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "rankscale":
            for kind in [one for one in list(vars(module).values()) if isinstance(one, type)]:
                for attribute in list(vars(kind).values()):
                    if isinstance(attribute, cached_property) and hasattr(attribute, "lock"):
                        attribute.lock = RLock()


if hasattr(os, "register_at_fork") and sys.version_info < (3, 12):
    os.register_at_fork(after_in_child=renew_locks)
