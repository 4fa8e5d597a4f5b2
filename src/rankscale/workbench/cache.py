"""A bounded cache: what was used last stays, whichever thread asks."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Cache(Generic[Value]):
    """Values by key, of which the ones used least recently are dropped when their sizes add up to more than `most`."""

    def __init__(self, most: int, size: Callable[[Value], int]) -> None:
        self.most = most
        self._size = size
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._held = 0
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """The value of a key, which is then the one used last; None where there is none."""
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, key: Hashable, value: Value) -> None:
        """Keep a value, and drop old ones until all fit; the newest is kept in any case."""
        size = self._size(value)
        with self._lock:
            self._held += size - (self._kept.pop(key)[1] if key in self._kept else 0)
            self._kept[key] = (value, size)
            while self._held > self.most and len(self._kept) > 1:
                _, (_, dropped) = self._kept.popitem(last=False)
                self._held -= dropped

    def made(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not there; two threads may make it at once."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept)
        return kept

    def __len__(self) -> int:
        return len(self._kept)
