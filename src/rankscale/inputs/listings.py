"""Every run of a file at once: all its documents with the scores or ranks that the file has, judged or not."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankscale import _core
from rankscale.data.arrays import Floats, Ints
from rankscale.inputs import files, tabular
from rankscale.inputs.binary import in_words, open_binary
from rankscale.inputs.binary_forms import binary_form
from rankscale.inputs.options import TEXT_FORMS, Reading
from rankscale.inputs.ranx import open_ranx
from rankscale.inputs.read import naming_file


@dataclass(frozen=True, eq=False)
class Listing:
    """A run as the core lists it, the documents of a topic in their order."""

    run: bytes  # empty where the file does not name it
    topics: tuple[bytes, ...]
    lengths: Ints  # (topic,)
    names: bytes  # of all documents
    name_ends: Ints  # (document,), where they end
    numbers: Floats  # (document,): scores, or ranks with order='rank'

    def documents(self) -> list[bytes]:
        """The names of all documents."""
        ends: list[int] = self.name_ends.tolist()
        return [self.names[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def listings_of(source: object, reading: Reading, order: str) -> list[Listing]:
    r"""Every run of a file in the order of its scores, or of its ranks.

    `source` is a path, bytes with a name, or what ir_datasets gives. Raise FormatError where the file cannot be ordered
    so.

    >>> (listing,) = listings_of(b"qid,docid,rank\n1,a,2\n1,b,1\n", Reading(), "rank")
    >>> listing.documents(), listing.numbers
    ([b'b', b'a'], array([1., 2.]))
    """
    exact = replace(reading, order="score64" if order == "score" else order)
    is_single = order == "score"  # ordered in 32 bits, and listed as they are
    if not isinstance(source, str | bytes | files.NamedBytes):
        return _made(_of_table(tabular.opened(source, "scoreddocs_iter"), exact, is_single=is_single), order)
    form = None if reading.form in TEXT_FORMS else binary_form(source)
    if form is None:
        name, origin = files.named_source(source)
        text = replace(exact, form=reading.form if reading.form in TEXT_FORMS else None)
        batches = _core.list_rankings(name, origin, text, is_single, True, reading.max_size)  # noqa: FBT003
        return _made([one for batch in batches for one in batch], order)
    opened: tuple[str, Any] = (
        open_ranx(source, reading.max_size) if form == "ranx" else open_binary(source, form, reading.max_size)
    )
    where, table = opened
    with naming_file(where):
        if form == "ranx":
            return _made(_of_table(table, exact, is_single=is_single), order)
        with in_words(where, form, table):
            return _made(_of_table(table, exact, is_single=is_single), order)


def _of_table(held: object, exact: Reading, *, is_single: bool) -> "list[_core.Listed]":
    if isinstance(held, tabular.ArrowTable):
        columns = tabular.chosen_columns("run", held.names, exact)
        return _core.list_arrow(held.only(columns), columns.names, exact, columns.order, is_single)
    rows = tabular.rows_of(held, "run", exact)
    return _core.list_rows(rows.each, exact, rows.order, (rows.has_run, rows.has_number), is_single)


def _made(listed: "list[_core.Listed]", order: str) -> list[Listing]:
    """The core orders by the highest key, so that its keys of ranks are negative."""
    sign = -1.0 if order == "rank" else 1.0
    return [
        Listing(
            run,
            tuple(topics),
            np.frombuffer(lengths, dtype=np.int32),
            names,
            np.frombuffer(ends, dtype=np.uint64).astype(np.int64),
            sign * np.frombuffer(numbers, dtype=np.float64),
        )
        for run, topics, lengths, names, ends, numbers in listed
    ]
