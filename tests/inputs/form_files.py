"""Files of every form, each made by the tool that people get it from. A maker is given a path without ending."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.inputs import form_example as example
from tests.inputs.form_example import Makers, package


def _text(path: Path, ending: str, content: str | bytes) -> Path:
    place = path.with_suffix(ending)
    place.write_bytes(content.encode() if isinstance(content, str) else content)
    return place


def _dumped(path: Path, value: object, **options: Any) -> Path:
    return _text(path, ".json", json.dumps(value, **options))


def _lines(path: Path, values: list[Any]) -> Path:
    return _text(path, ".jsonl", "".join(json.dumps(value) + "\n" for value in values))


def _written(path: Path, header: list[str], records: list[Any], **dialect: Any) -> Path:
    place = path.with_suffix(".csv")
    with place.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, **dialect)
        writer.writerows([header, *records])
    return place


def by_hand(columns: dict[str, list[Any]], number: str) -> Makers:
    """What scripts write with Python's own library, from columns of topics, documents and numbers."""
    topics, documents, numbers = columns.values()
    records = list(zip(topics, documents, numbers, strict=True))
    grouped = example.nested(tuple(records))
    objects = {t: [{"doc_id": d, number: n} for d, n in ranking.items()] for t, ranking in grouped.items()}
    pairs = {t: [[d, n] for d, n in ranking.items()] for t, ranking in grouped.items()}
    beir = ["query-id", "corpus-id", "score"]
    tab = {"delimiter": "\t", "quoting": csv.QUOTE_MINIMAL}
    return {
        "csv": lambda path: _written(path, list(columns), records),
        "csv, all quoted": lambda path: _written(path, list(columns), records, quoting=csv.QUOTE_ALL),
        "csv, semicolons": lambda path: _written(path, list(columns), records, delimiter=";"),
        "tsv": lambda path: _written(path, list(columns), records, **tab),
        "BEIR tsv": lambda path: _written(path, beir, records, **tab),
        "blanks with a header": lambda path: _text(
            path, ".txt", "\n".join(" ".join(map(str, row)) for row in [columns, *records])
        ),
        "jsonl": lambda path: _lines(path, example.as_records(columns)),
        "jsonl, objects": lambda path: _lines(path, [{"query_id": t, "results": r} for t, r in objects.items()]),
        "jsonl, pairs": lambda path: _lines(path, [{"qid": t, "ranking": r} for t, r in pairs.items()]),
        "jsonl, numbers": lambda path: _lines(path, [{"qid": t, "docs": r} for t, r in grouped.items()]),
        "json rows": lambda path: _dumped(path, example.as_records(columns), indent=1),
        "json": lambda path: _dumped(path, grouped),
        "json, indented": lambda path: _dumped(path, grouped, indent=4, ensure_ascii=False),
        "json, pairs": lambda path: _dumped(path, pairs),
        "json, objects": lambda path: _dumped(path, objects),
    }


def by_polars(columns: dict[str, list[Any]]) -> Makers:
    def write(ending: str, method: str, **options: Any) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            getattr(package("polars").DataFrame(columns), method)(path.with_suffix(ending), **options)
            return path.with_suffix(ending)

        return make

    return {
        "polars csv": write(".csv", "write_csv"),
        "polars csv, all quoted": write(".csv", "write_csv", quote_style="always"),
        "polars tsv": write(".tsv", "write_csv", separator="\t"),
        "polars ndjson": write(".ndjson", "write_ndjson"),
        "polars json": write(".json", "write_json"),
        "polars parquet": write(".parquet", "write_parquet"),
        "polars ipc": write(".arrow", "write_ipc"),
        "polars ipc, zstd": write(".arrow", "write_ipc", compression="zstd"),
        "polars ipc stream": write(".arrows", "write_ipc_stream"),
    }


def by_pandas(columns: dict[str, list[Any]]) -> Makers:
    def write(ending: str, method: str, **options: Any) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            getattr(package("pandas").DataFrame(columns), method)(path.with_suffix(ending), **options)
            return path.with_suffix(ending)

        return make

    return {
        "pandas csv": write(".csv", "to_csv", index=False),
        "pandas csv with index": write(".csv", "to_csv"),
        "pandas csv.gz": write(".csv.gz", "to_csv", index=False),
        "pandas tsv": write(".tsv", "to_csv", sep="\t", index=False),
        "pandas json records": write(".json", "to_json", orient="records"),
        "pandas json lines": write(".jsonl", "to_json", orient="records", lines=True),
        "pandas parquet": write(".parquet", "to_parquet"),
        "fastparquet": write(".parquet", "to_parquet", engine="fastparquet"),
        "pandas feather": write(".feather", "to_feather"),
    }


def by_pyarrow(columns: dict[str, list[Any]]) -> Makers:
    def table() -> Any:
        return package("pyarrow").table(columns)

    def to_csv(path: Path) -> Path:
        package("pyarrow.csv").write_csv(table(), path.with_suffix(".csv"))
        return path.with_suffix(".csv")

    def to_feather(path: Path) -> Path:
        package("pyarrow.feather").write_feather(table(), str(path.with_suffix(".feather")), compression="lz4")
        return path.with_suffix(".feather")

    def to_parquet(path: Path) -> Path:
        package("pyarrow.parquet").write_table(table(), path.with_suffix(".parquet"), row_group_size=7)
        return path.with_suffix(".parquet")

    def to_ipc(kind: str) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            with getattr(package("pyarrow.ipc"), kind)(str(path.with_suffix(".arrow")), table().schema) as writer:
                writer.write_table(table(), max_chunksize=7)
            return path.with_suffix(".arrow")

        return make

    return {
        "pyarrow csv": to_csv,
        "pyarrow feather, lz4": to_feather,
        "pyarrow parquet": to_parquet,
        "pyarrow ipc file": to_ipc("new_file"),
        "pyarrow ipc stream": to_ipc("new_stream"),
    }


def by_databases(columns: dict[str, list[Any]]) -> Makers:
    def copy(ending: str, how: str) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            place = path.with_suffix(ending)
            with package("duckdb").connect() as connection:
                connection.register("given", package("pyarrow").table(columns))
                connection.execute(f"COPY given TO '{place}' ({how})")
            return place

        return make

    def dataset(ending: str, method: str, **options: Any) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            datasets = package("datasets")
            datasets.disable_progress_bars()
            getattr(datasets.Dataset.from_dict(columns), method)(str(path.with_suffix(ending)), **options)
            return path.with_suffix(ending)

        return make

    return {
        "duckdb csv": copy(".csv", "FORMAT csv, HEADER"),
        "duckdb tsv": copy(".tsv", "FORMAT csv, HEADER, DELIMITER '\t'"),
        "duckdb json": copy(".json", "FORMAT json"),
        "duckdb json array": copy(".json", "FORMAT json, ARRAY true"),
        "duckdb parquet": copy(".parquet", "FORMAT parquet"),
        "datasets json": dataset(".jsonl", "to_json"),
        "datasets json array": dataset(".json", "to_json", lines=False),
        "datasets csv": dataset(".csv", "to_csv"),
        "datasets parquet": dataset(".parquet", "to_parquet"),
    }


def by_ranx(kind: str, content: dict[str, dict[str, Any]]) -> Makers:
    def save(ending: str) -> Callable[[Path], Path]:
        def make(path: Path) -> Path:
            made = getattr(package("ranx"), kind).from_dict(content)
            made.name = example.TAG
            if ending == ".json":  # not compiled, its dictionaries have numpy's texts, which its writer refuses
                plain = {
                    str(topic): {str(name): of.item() for name, of in one.items()}
                    for topic, one in made.to_dict().items()
                }
                made.to_dict = lambda: plain
            made.save(str(path.with_suffix(ending)))
            return path.with_suffix(ending)

        return make

    endings = (".json", ".trec", ".parquet", *[".lz4"] * (kind == "Run"))
    return {f"ranx {ending}": save(ending) for ending in endings}


def all_runs() -> Makers:
    """Every file that holds the example run."""
    ranked, ordered = example.ranked(example.rows()), example.names_by_topic()
    columns = example.run_columns()
    meta = {"mteb_model_meta": {"model_name": "a/b", "revision": None}}
    mteb = {**meta, "default": {"test": example.nested(example.rows())}}
    return {
        **by_hand(columns, "score"),
        "trec": lambda path: _text(path, ".txt", example.trec_run()),
        "MS MARCO": lambda path: _text(path, ".tsv", "".join(f"{t}\t{d}\t{r}\n" for t, d, r, _ in ranked)),
        "4 columns": lambda path: _text(path, ".txt", "".join(f"{t} {d} {r} {s!r}\n" for t, d, r, s in ranked)),
        "csv with ranks": lambda path: _written(path, ["qid", "pid", "rank"], [row[:3] for row in ranked]),
        "csv, scattered": lambda path: _written(path, *_records(example.shuffled(columns))),
        "jsonl, names": lambda path: _lines(path, [{"qid": t, "docids": names} for t, names in ordered.items()]),
        "json, names": lambda path: _dumped(path, ordered),
        "json with a run": lambda path: _dumped(path, {example.TAG: example.nested(example.rows())}),
        "json of names with a run": lambda path: _dumped(path, {example.TAG: ordered}),
        "MTEB predictions": lambda path: _dumped(path, mteb),
        **_with(columns),
        **by_ranx("Run", example.nested(example.rows())),
    }


def all_qrels() -> Makers:
    """Every file that holds the example qrels."""
    columns, rows = example.qrels_columns(), example.judgments()
    return {
        **by_hand(columns, "relevance"),
        "trec": lambda path: _text(path, ".txt", example.trec_qrels()),
        "3 columns": lambda path: _text(path, ".tsv", "".join(f"{t}\t{d}\t{grade}\n" for t, d, grade in rows)),
        **_with(columns),
        **by_ranx("Qrels", example.nested(rows)),
    }


def _with(columns: dict[str, list[Any]]) -> Makers:
    return {**by_polars(columns), **by_pandas(columns), **by_pyarrow(columns), **by_databases(columns)}


def _records(columns: dict[str, list[Any]]) -> tuple[list[str], list[Any]]:
    return list(columns), list(zip(*columns.values(), strict=True))


def two_runs() -> Makers:
    """Files that hold both runs."""
    columns = example.both_runs()
    by_run = {example.TAG: example.nested(example.rows()), example.OTHER_TAG: example.nested(example.other_rows())}
    chosen = (
        *("polars csv", "polars ndjson", "polars json", "polars parquet", "polars ipc", "pandas csv", "pandas parquet"),
        *("pyarrow ipc stream", "duckdb csv", "duckdb json", "duckdb parquet", "datasets json", "datasets parquet"),
    )
    return {
        **{name: maker for name, maker in _with(columns).items() if name in chosen},
        "scattered csv": lambda path: _written(path, *_records(example.shuffled(columns))),
        "json": lambda path: _dumped(path, by_run),
    }
