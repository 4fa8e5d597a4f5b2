"""Work done in processes of this machine."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rankscale.data.declared import Positive
from rankscale.errors import ParameterError, WorkerError
from rankscale.executors import Item, Result
from rankscale.executors.ordering import DEATHS, Backlog, Done, in_order, lost, packed
from rankscale.executors.workers import GONE, GUARD, LIMITED, Worker, outcome_of, refuse_unguarded, sent_by

AHEAD = 4  # items for each process that are under way or wait for an earlier one


@dataclass(frozen=True)
class Processes:
    """Executor that distributes items over processes of this machine, which are started anew, not forked.

    A process that dies is replaced and its item computed again; an item during which three processes died raises
    WorkerError. A script must use it below `if __name__ == "__main__":`, since each process imports the script.

    Parameters
    ----------
    count : int, default 2
        Number of processes. No more are started than there are items.

    Examples
    --------
    >>> import operator
    >>> list(Processes(2).map(operator.neg, [1, 2, 3]))
    [-1, -2, -3]
    """

    count: Positive = 2
    reads_elsewhere = True

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise ParameterError(f"the number of processes must be a whole number from 1, got {self.count!r}")

    def map(self, work: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """The results, in the order of the items."""
        return in_order(self.finished(work, items))

    def finished(self, work: Callable[[Item], object], items: Iterable[Item]) -> Iterator[Done]:
        """What each item gave, as soon as it is known."""
        refuse_unguarded()
        backlog, team = Backlog(items, AHEAD * self.count), _Team(packed(work, "the work"))
        try:
            while True:
                while len(team.workers) < self.count and (task := backlog.take()):
                    team.start(*task)
                if not team.workers:
                    return
                for worker in sent_by(team.workers):
                    done = team.receive(worker, backlog)
                    if done is not None:
                        backlog.finish(done.number)
                        yield done
        finally:
            team.end()


class _Team:
    """The processes of one map."""

    def __init__(self, work: bytes) -> None:
        self.work = work
        self.workers: list[Worker] = []
        self.idle: list[Worker] = []
        self.deaths: Counter[int] = Counter()  # by item
        self.failed_starts = 0

    def start(self, number: int, item: object) -> None:
        """Give an item to a process that has none, or to a new one."""
        sent = packed(item, "an item")
        if self.idle:
            worker = self.idle.pop()
            worker.give(number, sent)
        else:
            worker = Worker(number, sent)
        self.workers.append(worker)

    def receive(self, worker: Worker, backlog: Backlog[Item]) -> Done | None:
        """What a process has sent, or that it has died; None where there is no outcome of its item yet."""
        try:
            sent = worker.receive(self.work)
        except GONE:
            self.workers.remove(worker)
            return self._replaced(worker, backlog)
        if sent is None:
            self.failed_starts = 0
            return None
        self.workers.remove(worker)
        self.idle.append(worker)
        return Done(worker.number, outcome_of(sent))

    def _replaced(self, worker: Worker, backlog: Backlog[Item]) -> Done | None:
        """A process has died: its item is given out again, unless it has cost too many."""
        how, number = worker.end(), worker.number
        if not worker.ready:
            self.failed_starts += 1
            if "exit code" in how or self.failed_starts >= DEATHS:
                why = f"{GUARD}; or use the executor inline" if worker.is_unguarded else LIMITED
                raise WorkerError(f"worker processes end while they start ({how}): {why}")
            backlog.again(number)
            return None
        self.deaths[number] += 1
        if self.deaths[number] < DEATHS:
            backlog.again(number)
            return None
        return Done(number, lost(number, backlog.given[number], self.deaths[number], how))

    def end(self) -> None:
        """End all processes."""
        for worker in (*self.workers, *self.idle):
            worker.process.terminate()
        for worker in (*self.workers, *self.idle):
            worker.end()
