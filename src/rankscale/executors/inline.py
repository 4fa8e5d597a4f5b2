"""Work done here and now; the core still reads files side by side."""

from collections.abc import Callable, Iterable, Iterator

from rankscale.executors import Item, Result


class Inline:
    """One item after the other, in this process.

    Examples
    --------
    >>> list(Inline().map(abs, [-1, 2]))
    [1, 2]
    """

    reads_elsewhere = False

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, one by one."""
        return map(work, items)
