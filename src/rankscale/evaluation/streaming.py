"""Blocks of topics as they come: written while they are measured, and added up on the way."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from rankscale.data.arrays import Bools, Floats
from rankscale.data.names import listed
from rankscale.data.notices import Notice, notes
from rankscale.data.table import Batch, RunRows, Stream, Table
from rankscale.errors import InputError, ParameterError
from rankscale.evaluation.block_result import BlockEvaluation
from rankscale.evaluation.block_work import Block, BlockSums, BlockWork
from rankscale.evaluation.notices import length_notices, odd_words
from rankscale.evaluation.options import Progress
from rankscale.evaluation.result import Evaluation
from rankscale.evaluation.tables import name_of_means, values_table
from rankscale.executors import Executor


@dataclass
class Streaming:
    """Blocks that are measured when they are read off, once; `total` is the sum of those that were."""

    work: BlockWork
    executor: Executor
    signature: str
    progress: Progress | None = None
    renamed: tuple[Notice, ...] = ()
    mean_name: str = "all"  # the topic of rows that sum up a run, in text
    total: BlockSums | None = None

    def blocks(self) -> Iterator[Block]:
        """Each block once, in the order of their numbers; raise at the end where the whole makes no sense."""
        for done, block in enumerate(self.executor.map(self.work, self.work.items()), start=1):
            self._refuse_missing(block.added)
            self.total = block.added if self.total is None else self.total + block.added
            if self.progress:
                self.progress(done, self.work.qrels.split.count)
            yield block
        self._check()

    def _refuse_missing(self, added: BlockSums) -> None:
        if self.work.missing == "error" and added.missing.any():
            place = int(np.flatnonzero(added.missing)[0])
            raise InputError(
                f"topics in {self.work.qrels.where} missing from {self.work.runs[place].where} "
                f"({listed(list(added.missing_names[place]))}); missing='zero' counts them as empty rankings"
            )

    def _check(self) -> None:
        """Raise where a run has no topic of the qrels, or a measure no value."""
        total, qrels = self._total, self.work.qrels
        for run, lacking in zip(self.work.runs, total.missing.tolist(), strict=True):
            if lacking == qrels.topics:
                raise InputError(
                    f"{run.where} and {qrels.where} have no topic in common\n"
                    "check that both belong to the same collection and spell topics alike"
                )
        for measure, is_defined, why in zip(self.work.measures, total.defined, total.undefined, strict=True):
            if why and not is_defined:
                raise ParameterError(f"{measure} is undefined on every topic of {qrels.where}: {why}")

    @property
    def _total(self) -> BlockSums:
        return cast("BlockSums", self.total)

    @property
    def sources(self) -> tuple[str, ...]:
        """Folders of the qrels and of the runs."""
        return (self.work.qrels.where, *(run.where for run in self.work.runs))

    def finish(self) -> BlockEvaluation:
        """Measure all blocks, and keep what is added up."""
        for _ in self.blocks():
            pass
        return self.result()

    def table(self) -> Table:
        """Values by topic as a table that is measured while it is written; in text, means come last."""
        nothing = np.empty((len(self.work.measures), len(self.work.names), 0))
        whole = values_table(self._evaluation((), nothing, nothing[0].astype(bool)), per_topic=True)

        def tables() -> Iterator[Evaluation]:
            for block in self.blocks():
                if block.topics:
                    yield self._evaluation(block.topics, block.values, block.retrieved)

        def batches() -> Iterator[Batch]:
            for made in tables():
                yield from cast("Stream", values_table(made, per_topic=True).stream).batches()

        def text_batches() -> Iterator[Batch | RunRows]:
            for made in tables():
                name_of_means(made)  # an error where a topic of the block has that name
                yield from cast("Stream", values_table(made, per_topic=True).stream).batches()
            summed_up = replace(self.result().summarised, mean_name=self.mean_name)
            yield from cast("Stream", summed_up.table("means").stream).text_batches()

        stream = replace(cast("Stream", whole.stream), batches=batches, text_batches=text_batches)
        return replace(whole, stream=stream)

    def _evaluation(self, topics: tuple[str, ...], values: Floats, retrieved: Bools) -> Evaluation:
        """The values of a block, as tables of values take them."""
        return Evaluation(
            measures=self.work.measures,
            runs=self.work.names,
            topics=topics,
            values=values,
            retrieved=retrieved,
            present_known=False,  # what comes first in a file is written before all blocks are read
            signature=self.signature,
            sources=self.sources,
            mean_name=self.mean_name,
        )

    def result(self, values: str | None = None) -> BlockEvaluation:
        """What was added up; `values` is the file that values by topic were written to."""
        work, total = self.work, self._total
        return BlockEvaluation(
            measures=work.measures,
            runs=work.names,
            topics=work.qrels.topics,
            sums=total.sums,
            counted=total.counted,
            pairs=total.pairs,
            missing=total.missing,
            levels=work.qrels.levels,
            topics_rule=work.missing,
            signature=self.signature,
            sources=self.sources,
            values=values,
            notices=(*self.renamed, *self._notices()),
        )

    def _notices(self) -> Iterator[Notice]:
        total, qrels = self._total, self.work.qrels
        for place, run in enumerate(self.work.runs):
            about = {"where": run.where, "qrels": qrels.where}
            if total.missing[place]:
                yield Notice.of(
                    "missing topics",
                    **about,
                    topics=total.missing_names[place],
                    number=int(total.missing[place]),
                    of=qrels.topics,
                    rule=self.work.missing,
                )
            if total.unknown[place]:
                yield Notice.of("unknown topics", **about, count=int(total.unknown[place]))
        yield from length_notices(self.work.measures, self.work.names, total.longest.tolist())
        yield from self._without_ideal()
        for measure, counts in zip(self.work.measures, total.odd.tolist(), strict=True):
            yield from notes(odd_words(measure, counts, total.rankings), "odd values")
        yield from notes((f"{name}: in a block of topics, {caution}" for name, caution in total.cautions), "caution")

    def _without_ideal(self) -> Iterator[Notice]:
        """Notices of topics on which not even the ideal ranking gains anything, one for measures that share them."""
        total, work = self._total, self.work
        alike: dict[tuple[int, tuple[str, ...]], list[str]] = {}
        for measure, number, names in zip(
            work.measures, total.without_ideal.tolist(), total.without_ideal_names, strict=True
        ):
            if number:
                alike.setdefault((number, names), []).append(str(measure))
        for (number, names), measures in alike.items():
            about = {"measures": tuple(measures), "topics": names, "number": number, "of": work.qrels.topics}
            yield Notice.of("no ideal", **about, option=("topics", "FILE"))
