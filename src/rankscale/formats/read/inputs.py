"""The front door: whatever holds qrels or runs, read by what it is."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rankscale.data.notices import Notice
from rankscale.data.qrels import Qrels
from rankscale.data.run import Run
from rankscale.errors import FormatError, InputError, MissingExtraError, ParameterError, RankscaleError
from rankscale.formats.read import tabular as tables
from rankscale.formats.read import trec

ORDER = "qrels come first, then runs, as in evaluate(qrels, runs, measures)"


def read_qrels(source: Any, *, max_size: int | None = None) -> Qrels:  # noqa: ANN401  # all that tables.py knows
    """Qrels from a path (`-`: standard input), `{topic: {document: grade}}`, a data frame, an Arrow table, ir_datasets.

    >>> read_qrels({"301": {"FT911-3": 1, "FT911-5": 0}})
    <Qrels qrels: 1 topics, 2 judgments, grades 0, 1>
    """
    if isinstance(source, Qrels):
        return source
    if _holds_runs(source):
        raise InputError(f"expected qrels, found runs; {ORDER}")
    if not _is_file(source):
        return tables.qrels_from(source)
    if (dataset := _dataset(source)) is not None:
        return tables.qrels_from(dataset, str(source))
    try:
        return trec.read_qrels(source, max_size=max_size)
    except FormatError as error:
        if _reads_as_run(source):
            error.args = (f"{error}\nthis is a run; {ORDER}",)
        raise


def _holds_runs(source: object) -> bool:
    """Whether this is a run, or several, where qrels are expected: a Run, a list of files, `{name: run}`."""
    if isinstance(source, list | tuple):
        return bool(source) and all(isinstance(one, Run) or _is_file(one) for one in source)
    if isinstance(source, dict):
        inner = next((one for one in source.values() if one), None)
        return isinstance(inner, Run) or (isinstance(inner, dict) and isinstance(next(iter(inner.values())), dict))
    return isinstance(source, Run)


def _reads_as_run(source: object) -> bool:
    """Whether a file that is no qrels is a run; what can be read only once is not looked at again."""
    if not isinstance(source, str | os.PathLike) or source == "-":
        return False
    try:
        trec.read_run(tables.qrels_from({"": {"": 0}}), source, depth=1)
    except (RankscaleError, OSError):
        return False
    return True


def read_run(
    qrels: Any,  # noqa: ANN401  # all that tables.py knows
    run: Any,  # noqa: ANN401
    *,
    name: str | None = None,
    order: str = "score",
    depth: int | None = None,
    keep_documents: bool = False,
    keep_scores: bool = False,
    max_size: int | None = None,
) -> Run:
    """One run, judged while it is read.

    >>> read_run({"301": {"FT911-3": 1}}, {"301": {"FT911-3": 2.5, "LA010189-1": 1.5}}, name="bm25")
    <Run bm25: 1 topics, 2 documents, 1 judged>
    """
    (read,) = iterate_runs(
        read_qrels(qrels),
        run if name is None else [(name, run)],
        order=order,
        depth=depth,
        keep_documents=keep_documents,
        keep_scores=keep_scores,
        max_size=max_size,
    )
    return read


def read_runs(
    qrels: Any,  # noqa: ANN401  # all that tables.py knows
    runs: Any,  # noqa: ANN401
    *,
    order: str = "score",
    depth: int | None = None,
    keep_documents: bool = False,
    keep_scores: bool = False,
    max_size: int | None = None,
    threads: int | None = None,
) -> list[Run]:
    """Runs, read side by side on all cores: paths or patterns such as `runs/*.gz`, tables, or `{name: run}`."""
    return list(
        iterate_runs(
            read_qrels(qrels),
            runs,
            order=order,
            depth=depth,
            keep_documents=keep_documents,
            keep_scores=keep_scores,
            max_size=max_size,
            threads=threads,
        )
    )


def iterate_runs(
    qrels: Qrels,
    sources: Any,  # noqa: ANN401  # all that tables.py knows
    *,
    order: str | None = None,
    depth: int | None = None,
    keep_documents: bool = False,
    keep_scores: bool = False,
    max_size: int | None = None,
    threads: int | None = None,
) -> Iterator[Run]:
    """Runs one after the other, so that no more than a few are in memory at once."""
    if keep_scores and order in {"rank", "file"}:
        raise ParameterError(f"scores are wanted, and order={order!r} does not look at them; read with order='score'")
    options: dict[str, Any] = {"order": order or "score", "depth": depth, "keep_documents": keep_documents}
    options["keep_scores"] = keep_scores
    entries = run_sources(sources)
    files = [source for _, source in entries if _is_file(source)]
    reading = trec.read_runs(qrels, files, **options, max_size=max_size, threads=threads) if files else iter(())
    for name, source in entries:
        if isinstance(source, Run):
            run = _fitting(source, qrels, order, depth, keep_scores=keep_scores)
        elif _is_file(source):
            run = next(reading)
        else:
            run = tables.run_from(qrels, source, name or "run", **options)
        yield run if name is None else replace(run, name=name)


def runs_with_names(
    qrels: Qrels,
    runs: Any,  # noqa: ANN401  # whatever evaluate() reads
    documents_to: int = 0,
    **reading: Any,  # noqa: ANN401  # those of iterate_runs()
) -> tuple[list[Run], tuple[Notice, ...]]:
    """Runs read once, each with a name of its own, and notices of those that were renamed.

    The names of their documents are kept down to the rank `documents_to`.
    """
    read = [
        replace(run, documents=tuple(names[:documents_to] for names in run.documents)) if run.documents else run
        for run in iterate_runs(qrels, runs, keep_documents=documents_to > 0, **reading)
    ]
    if not read:
        raise InputError("there are no runs")
    names, renamed = trec.distinct_names([run.name for run in read], [run.source for run in read])
    return [replace(run, name=name) for run, name in zip(read, names, strict=True)], renamed


def _fitting(run: Run, qrels: Qrels, order: str | None, depth: int | None, *, keep_scores: bool) -> Run:
    """A run that was read before, if it was read for these qrels and as it is wanted now."""
    if run.qrels != qrels.fingerprint:
        raise InputError(f"run {run.name} was judged with other qrels than {qrels.source}; read it again with these")
    if keep_scores and run.score is None:
        raise ParameterError(f"run {run.name} was read without its scores; read it again with keep_scores=True")
    for setting, wanted, there in (("order", order, run.order), ("depth", depth, run.depth)):
        if wanted not in {None, there}:
            raise ParameterError(
                f"run {run.name} was read with {setting}={there!r}; read it again with {setting}={wanted!r}"
            )
    return run


def run_sources(sources: Any) -> list[tuple[str | None, Any]]:  # noqa: ANN401
    """Where each run is to be read from, and the name it is given, if any. Patterns become the files they match."""
    found = [(name, source) for name, one in _named(sources) for source in _expanded(one)]
    if any(isinstance(source, Qrels) for _, source in found):
        raise InputError(f"expected runs, found qrels; {ORDER}")
    nameless = [name is None and not _is_file(source) and not isinstance(source, Run) for name, source in found]
    return [
        (f"run {number}" if lacks and len(found) > 1 else name, source)
        for number, (lacks, (name, source)) in enumerate(zip(nameless, found, strict=True), start=1)
    ]


def _named(sources: Any) -> list[tuple[str | None, Any]]:  # noqa: ANN401
    """Runs with the names they are given; a mapping of mappings of numbers is one run, not many."""
    if isinstance(sources, Mapping):
        return [(None, sources)] if _is_ranking_map(sources) else list(sources.items())
    if _is_file(sources) or isinstance(sources, Run) or tables.is_table(sources):
        return [(None, sources)]
    if not isinstance(sources, Sequence | Iterator):
        return [(None, sources)]
    several = list(sources)
    if several and tables.is_row(several[0]):  # a list of rows is one run
        return [(None, several)]
    if several and all(isinstance(source, tuple) and len(source) == 2 for source in several):  # named already
        return several
    return [(None, source) for source in several]


def _is_ranking_map(sources: Mapping[Any, Any]) -> bool:
    """Whether this is `{topic: {document: score}}` rather than `{name: run}`."""
    for inner in sources.values():
        if not isinstance(inner, dict):
            return False
        if inner:
            return not isinstance(next(iter(inner.values())), Mapping)
    return True


def _expanded(source: Any) -> list[Any]:  # noqa: ANN401
    """A pattern becomes the files it matches; anything else stays."""
    if isinstance(source, str) and re.search(r"[*?\[]", source) and not os.path.exists(source):
        from glob import glob

        files = sorted(glob(source, recursive=True))
        if not files:
            raise FileNotFoundError(f"{source}: no file matches")
        return list(files)
    return [source]


def _is_file(source: object) -> bool:
    return isinstance(source, str | bytes | os.PathLike) or hasattr(source, "read")


def _dataset(source: object) -> Any:  # noqa: ANN401  # ir_datasets gives its own classes
    """The ir_datasets dataset of that id, where `source` is an id and no file."""
    if not isinstance(source, str) or source == "-" or os.path.exists(source):
        return None
    name = source.removeprefix("irds:")
    if name == source and ("/" not in source or os.path.splitext(source)[1]):
        return None  # the reader will say that there is no such file
    try:
        import ir_datasets  # heavy, and rarely wanted
    except ImportError:
        if name != source:
            raise MissingExtraError(f"the collection {source}", "ir_datasets", "irds") from None
        return None
    try:
        return ir_datasets.load(name)
    except KeyError:
        if name == source:
            return None
        raise InputError(f"{source}: ir_datasets knows no such collection") from None
