"""What judging to a depth costs and gives: how many documents there are to judge, and which accuracy of RBP it allows.

After Moffat and Zobel, TOIS 27(1), 2008, section 4.4: with all documents down to depth d judged, the residual is p^d,
which is known before there are judgments or runs.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from rankscale import __version__
from rankscale.data.arrays import Bools, Ints, frozen
from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.data.table import Table
from rankscale.inputs.options import Reading
from rankscale.inputs.read import RunsLike, iterate_runs, run_sources
from rankscale.measures.rbp import RBP, depth_needed, largest_p
from rankscale.studies.pooling import NOWHERE, best_ranks, free_ranks
from rankscale.studies.support.study import Study


@dataclass(frozen=True, eq=False, repr=False)
class BoundsInAdvance(Study):
    """Result of `bounds` without files: depths, accuracies and persistence that go together.

    Attributes
    ----------
    p : tuple of float
        Persistence of RBP.
    depths : tuple of int
        Depths down to which all documents are judged.
    accuracy : tuple of float
        Residuals to stay below.
    notices : tuple of Notice
        What users should know about the result: nothing.
    """

    p: tuple[float, ...]
    depths: tuple[int, ...]
    accuracy: tuple[float, ...]
    notices: tuple[Notice, ...] = ()

    @property
    def settings(self) -> Mapping[str, object]:
        """The options of the study."""
        return {"study": "bounds", "p": self.p, "depths": self.depths, "accuracy": self.accuracy}

    @property
    def origin(self) -> Mapping[str, object]:
        """The version alone: no file is read."""
        return {"rankscale": __version__, "signature": f"version:{__version__}"}

    def sentence(self) -> str:
        """How to read the tables."""
        return (
            "With every ranking judged down to `depth`, RBP is known to less than `accuracy`. `largest_p` is the "
            "largest p for which that depth leaves no more than `accuracy` open."
        )

    def shown(self) -> tuple[str, ...]:
        """The depth that each accuracy needs, and the p that each depth supports."""
        return ("cost", "supports")

    def tables(self) -> Mapping[str, Table]:
        """Depths by p and accuracy (`cost`), residuals by p and depth (`depths`), largest p by depth (`supports`)."""
        needed = ((p, accuracy, depth_needed(p, accuracy)) for p, accuracy in product(self.p, self.accuracy))
        left = (
            (p, depth, residual)
            for p in self.p
            for depth, residual in zip(self.depths, RBP(p=p).tail(np.array(self.depths)).tolist(), strict=True)
        )
        return {
            "cost": Table.of(("p", "accuracy", "depth"), needed),
            "depths": Table.of(("p", "depth", "residual"), left),
            "supports": largest_p_by_depth(self.depths, self.accuracy),
        }


def largest_p_by_depth(depths: Sequence[int], accuracy: Sequence[float]) -> Table:
    """The largest p for which judging down to a depth leaves no more than an accuracy open."""
    rows = ((*one, largest_p(*one)) for one in product(depths, accuracy))
    return Table.of(("depth", "accuracy", "largest_p"), rows)


@dataclass(frozen=True, eq=False)
class Reach:
    """The best rank that any of some runs gives each document, in the qrels or not."""

    of_judgments: Ints  # (judgment,), of documents that the qrels name; NOWHERE where no run retrieves them
    of_others: tuple[Ints, ...]  # by topic, (document,): of those that they do not name, down to some rank
    nameless: str | None = None  # a run that was read without names of documents, so that others are not known

    def documents(self, depth: int, qrels: Qrels, topics: Bools) -> tuple[int, int | None]:
        """How many distinct documents some run ranks at `depth` or above: those judged, and those not, if known."""
        there = (self.of_judgments <= depth) & topics[qrels.topic_of]
        judged = int(np.count_nonzero(there & qrels.is_judged))
        if self.nameless is not None:
            return judged, None
        counted = (np.count_nonzero(self.of_others[topic] <= depth) for topic in np.flatnonzero(topics).tolist())
        return judged, int(np.count_nonzero(there)) - judged + int(sum(counted))


def read_with_reach(
    qrels: Qrels,
    sources: RunsLike,
    deepest: int,
    progress: Callable[[int, int], None] | None = None,
    reading: Reading = Reading(),  # noqa: B008  # frozen
) -> tuple[list[Run], Reach]:
    """Runs, and the best rank of each document; of documents that the qrels do not name down to rank `deepest`.

    Names are looked at run by run and not kept: those of a whole collection would take a lot of memory.
    """
    where = run_sources(sources)
    others: list[dict[str, int]] = [{} for _ in qrels.topics]
    runs: list[Run] = []
    nameless: str | None = None
    for run in iterate_runs(qrels, where, replace(reading, keep_documents=deepest > 0)):
        if run.documents is None:
            nameless = nameless or run.name
        else:
            _note_others(run, run.documents, others, deepest)
        runs.append(replace(run, documents=None))
        if progress:
            progress(len(runs), len(where))
    ranks = tuple(frozen(np.array(list(best.values()), dtype=np.int64)) for best in others)
    return runs, Reach(frozen(best_ranks(qrels, runs)), ranks, nameless)


def _note_others(run: Run, documents: Sequence[Sequence[str]], others: list[dict[str, int]], deepest: int) -> None:
    """Note the best ranks of documents that the qrels do not name: those at ranks without an entry."""
    for place, row in enumerate(run.rows.tolist()):
        best, names = others[row], documents[place][:deepest]
        for rank in free_ranks(run.rank[run.starts[place] : run.starts[place + 1]], len(names)).tolist():
            name = names[rank - 1]
            if best.get(name, NOWHERE) > rank:
                best[name] = rank
