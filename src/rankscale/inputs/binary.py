"""Files that are not text: which they are; Parquet and Arrow files, and folders of them, read in batches by pyarrow."""

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from io import BytesIO
from itertools import chain, islice
from typing import Any, BinaryIO

from rankscale.data.resources import library
from rankscale.data.table import readable
from rankscale.errors import FormatError, InputError
from rankscale.inputs.binary_sizes import FILE, BufferLayout, ParquetDescription, check_schema, unpacked_sizes
from rankscale.inputs.bounds import HINT, SMALL, SizeBounds, TooLargeError, is_text
from rankscale.inputs.files import NamedBytes, NamedFile
from rankscale.inputs.tabular import ArrowTable

LZ4 = b"\x04\x22\x4d\x18"
MAGIC = {b"PAR1": "parquet", b"ARRO": "arrow", b"\xff\xff\xff\xff": "arrow"}  # how such files start
COLUMNAR = ("parquet", "arrow")
START = 64  # bytes that tell the form
LONGEST = 2_000  # characters of a message about a file
# How names of the files of a data set start that engines write.
PART = ("part-", "part_", "_SUCCESS", "_metadata", "_common_metadata", "_rankscale.json")
ENDINGS = {".parquet": "parquet", ".parq": "parquet", ".arrow": "arrow", ".feather": "arrow"}


def binary_form(source: object) -> str | None:
    """'parquet', 'arrow' or 'ranx', by how a file starts or what a folder holds.

    None for text, packed or not, and for what can be read only once.
    """
    if isinstance(source, NamedBytes | bytes):
        content = source if isinstance(source, bytes) else source.content
        return _form_of_start(content[:START])
    path = source.path if isinstance(source, NamedFile) else source
    if not isinstance(path, str | os.PathLike):
        return None
    if os.path.isdir(path):
        return form_of_folder(os.fsdecode(path))
    with suppress(OSError):  # the reader of text has the words
        if os.path.isfile(path):
            with open(path, "rb") as file:
                return _form_of_start(file.read(START))
    return None


def _form_of_start(start: bytes) -> str | None:
    """Ranx packs twice: the second packing starts in the first block of the first, as plain bytes or nearly so."""
    if start.startswith(LZ4):
        block = 7 + 8 * (start[4] >> 3 & 1) + 4 * (start[4] & 1) if len(start) > 4 else 0
        is_empty = start[block : block + 4] == b"\0\0\0\0"
        return "ranx" if LZ4 in start[block + 4 : block + 12] and not is_empty else None
    return MAGIC.get(start[:4])


def form_of_folder(folder: str) -> str | None:
    """The form of a folder that is one data set: named like a file, or full of the parts that engines write."""
    names = [name for name in os.listdir(folder) if not name.startswith(".")]
    by_name = ENDINGS.get(os.path.splitext(folder.rstrip("/"))[1].lower())
    files = [name for name in names if not name.startswith("_")]
    forms = {ENDINGS.get(os.path.splitext(name)[1].lower()) for name in files}
    if len(forms) != 1 or None in forms:
        return None
    is_split = bool(files) and all(name.startswith(PART) for name in names)
    return next(iter(forms)) if by_name or is_split else None


def in_print(message: str) -> str:
    """A message in which control characters that a file brought are written out, and of a length to be read."""
    shown = message if len(message) <= LONGEST else f"{message[:LONGEST]} ..."
    return "".join(c if c.isprintable() or c in "\n\t" else f"\\u{{{ord(c):x}}}" for c in readable(shown))


WORDS = {"parquet": "Parquet", "arrow": "Arrow", "ranx": "ranx's"}
BATCH = 1 << 16  # rows
FEW_ROWS = 64  # of a batch, where it is not known how long the names of a small file are
MOST_AT_ONCE = 16 << 20  # bytes of the names of a batch
NOT_AS_CODES = "Not yet implemented: DecodeArrow of DictAccumulator"  # said of names that are written as differences


def open_binary(
    source: object, form: str, max_size: int | None = None, *, of_rankings: bool = True
) -> tuple[str, ArrowTable]:
    """How messages call a file or folder, and its table of batches, opened anew for each stream.

    `of_rankings` says that the columns requested are those of a run or of qrels, which `SizeBounds` knows the sizes of.
    """
    where, place = place_of(source)
    bounds = partial(SizeBounds, where, max_size=max_size, of_rankings=of_rankings)
    with in_words(where, form):
        if isinstance(place, str) and os.path.isdir(place):
            return where, _folder(place, form, bounds)
        return where, _parquet(place, where, max_size, bounds) if form == "parquet" else _arrow(place, bounds)


def _folder(place: str, form: str, bounded: Callable[[int], SizeBounds]) -> ArrowTable:
    """The files of a folder as one table."""
    dataset = library("pyarrow.dataset", f"{WORDS[form]} files")
    files = [os.path.join(above, name) for above, _, names in os.walk(place) for name in names]
    is_small = sum(map(os.path.getsize, files)) <= SMALL
    is_looked_at = form == "arrow" or is_small
    for file in (file for file in files if is_looked_at and os.path.splitext(file)[1].lower() in ENDINGS):
        with _naming_part(file):
            (_check_arrow if form == "arrow" else _described)(file)
    held = dataset.dataset(place, format="parquet" if form == "parquet" else "ipc")
    troubles: list[Exception] = []

    def stream(columns: list[str]) -> object:
        bounds = bounded(sum(map(os.path.getsize, held.files)))
        if is_looked_at:
            size_of = _unpacked_size if form == "arrow" else _size_of_part
            bounds.check_unpacked(sum(size_of(file, columns) for file in held.files))
        ahead = {"batch_readahead": 1, "fragment_readahead": 1}  # by default 4 files are held at once

        def scanned(files: Any, rows: int) -> Any:  # noqa: ANN401  # of a library without types
            return files.scanner(columns=columns, batch_size=rows, use_threads=False, **ahead).to_reader()

        if form == "parquet" and is_small:  # a long name that each row repeats stays as it is written, once
            texts = [name for name in columns if is_text(held.schema.field(name).type)]
            coded = dataset.ParquetFileFormat(read_options=dataset.ParquetReadOptions(dictionary_columns=texts))
            with_codes = dataset.dataset(place, format=coded)
            each = _coded(lambda: scanned(with_codes, BATCH), lambda: scanned(held, FEW_ROWS), texts)
            schema = scanned(with_codes, BATCH).schema
        else:
            reader = scanned(held, BATCH)
            schema, each = reader.schema, reader if form == "parquet" else map(_sound, reader)
        return _stream(schema, bounds.checked(each, columns), troubles)

    return ArrowTable(tuple(held.schema.names), stream, troubles=troubles)


def place_of(source: object) -> tuple[str, Any]:
    """How messages call a file, and a path, or a function that opens the bytes."""
    if isinstance(source, NamedBytes):
        return source.name, lambda: BytesIO(source.content)
    if isinstance(source, NamedFile):
        return source.name, source.path
    if isinstance(source, bytes):
        return "bytes", lambda: BytesIO(source)
    if isinstance(source, str | os.PathLike):
        return readable(os.fspath(source)), os.fsdecode(source)
    raise InputError(f"expected a path or bytes, found {type(source).__name__}")


def _parquet(
    place: str | Callable[[], BinaryIO], where: str, max_size: int | None, bounded: Callable[[int], SizeBounds]
) -> ArrowTable:
    arrow, parquet = library("pyarrow", "Parquet files"), library("pyarrow.parquet", "Parquet files")
    troubles: list[Exception] = []

    def open_file(few: list[str] | None = None) -> Any:  # noqa: ANN401  # of a library without types
        """The file; columns with few different names are left as codes, which takes less time."""
        opened = place() if callable(place) else place  # not mapped: what changes meanwhile would end the process
        return parquet.ParquetFile(opened, read_dictionary=few)

    with place() if callable(place) else open(place, "rb") as whole:
        on_disk = whole.seek(0, os.SEEK_END)
    described = _described(place) if on_disk <= SMALL else None
    file = open_file()
    about, names = file.metadata, tuple(file.schema_arrow.names)
    # Not of each column: asked about a damaged one, the library ends the process.
    groups = [about.row_group(number) for number in range(about.num_row_groups)]
    if any(group.total_byte_size < 0 for group in groups):
        raise ValueError("it says that it holds fewer than 0 bytes")
    size = sum(group.total_byte_size for group in groups)
    if max_size is not None and size > max_size:
        raise FormatError(f"{where}: holds more than the {max_size} bytes allowed; ", HINT)

    def stream(columns: list[str]) -> object:
        bounds = bounded(on_disk)
        if described is not None:
            bounds.check_unpacked(described.unpacked_size(columns))
        topic, *rest = columns[0], *columns[3:]  # the run comes last, if there is one
        few = [name for name in (topic, *rest) if is_text(file.schema_arrow.field(name).type)]
        texts = [name for name in columns if name not in few and is_text(file.schema_arrow.field(name).type)]
        rows = _rows_at_once(open_file(texts), texts, on_disk)

        def read(coded: list[str], rows: int) -> Any:  # noqa: ANN401  # of a library without types
            return open_file(coded).iter_batches(batch_size=rows, columns=columns, use_threads=False)

        few_rows = min(rows, FEW_ROWS) if on_disk <= SMALL else rows
        whole = _coded(lambda: read(few, rows), lambda: read([], few_rows), few)
        batches = bounds.checked(whole, columns, about.num_rows)
        first = next(batches, None)
        if first is None:
            check_rows(about.num_rows, 0)
            return arrow.Table.from_pylist([], schema=file.schema_arrow.remove_metadata()).to_reader()
        return _stream(first.schema, chain([first], batches), troubles, about.num_rows)

    return ArrowTable(names, stream, troubles=troubles)


def _size_of_part(file: str, columns: list[str]) -> int:
    with _naming_part(file):
        return _described(file).unpacked_size(columns)


@contextmanager
def _naming_part(file: str) -> Iterator[None]:
    """Errors about a file of a folder name it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{os.path.basename(file)}: {error}") from error


def _check_arrow(place: Any) -> None:  # noqa: ANN401  # a path or a function
    """Raise ValueError where the columns of an Arrow file say more than the file holds."""
    with place() if callable(place) else open(place, "rb") as file:
        check_schema(file)


def _described(place: Any) -> ParquetDescription:  # noqa: ANN401  # a path or a function
    """What a small Parquet file says about itself; raise ValueError where it is damaged."""
    with place() if callable(place) else open(place, "rb") as file:
        return ParquetDescription(file.read())


def _coded(
    with_codes: Callable[[], Iterable[Any]], plain: Callable[[], Iterable[Any]], names: list[str]
) -> Iterator[Any]:
    """Batches with some columns as codes; the library cannot read all encodings so, and then they are coded here."""
    arrow, read = library("pyarrow", "Parquet files"), 0  # rows
    try:
        for batch in with_codes():
            yield batch
            read += batch.num_rows
    except (arrow.ArrowNotImplementedError, OSError) as error:
        if NOT_AS_CODES not in str(error):
            raise
    else:
        return
    for batch in plain():
        again = min(read, batch.num_rows)
        read -= again
        if again < batch.num_rows:
            new = batch.slice(again)
            pairs = zip(new.schema.names, new.columns, strict=True)
            columns = [column.dictionary_encode() if name in names else column for name, column in pairs]
            yield arrow.RecordBatch.from_arrays(columns, names=new.schema.names)


def _rows_at_once(file: Any, names: list[str], on_disk: int) -> int:  # noqa: ANN401  # of a library without types
    """Rows of a batch: few where a small file has long names, each written once and repeated by its number.

    `file` gives these columns as numbers into their distinct values, at most so many bytes on disk.
    """
    if on_disk > SMALL:
        return BATCH
    arrow, compute = library("pyarrow", "Parquet files"), library("pyarrow.compute", "Parquet files")
    longest = 1
    try:
        for group in range(file.metadata.num_row_groups):
            for name in names:
                for batch in islice(file.iter_batches(1, row_groups=[group], columns=[name], use_threads=False), 1):
                    lengths = compute.binary_length(batch.column(name).dictionary)
                    longest = max(longest, compute.max(lengths).as_py() or 0)
    except (arrow.ArrowNotImplementedError, OSError) as error:
        if NOT_AS_CODES not in str(error):
            raise
        return FEW_ROWS
    return max(1, min(BATCH, MOST_AT_ONCE // longest))


def _layout(schema: Any, columns: list[str]) -> BufferLayout | None:  # noqa: ANN401  # of a library without types
    """How many buffers each column has, and whether it is read; None where a type has more (nested, views)."""
    types = library("pyarrow", "Arrow files").types
    with_two = (types.is_integer, types.is_floating, types.is_boolean, types.is_temporal, types.is_dictionary)
    with_three = (types.is_string, types.is_large_string, types.is_binary, types.is_large_binary)
    layout = []
    for field in schema:
        count = 2 if any(is_one(field.type) for is_one in with_two) else 3
        if count == 3 and not any(is_one(field.type) for is_one in with_three):
            return None
        layout.append((count, field.name in columns))
    return layout


def _unpacked_size(place: Any, columns: list[str]) -> int:  # noqa: ANN401  # a path or a function
    """Bytes that these columns of an Arrow file unpack to; raise ValueError where the file does not say."""
    naming = nullcontext() if callable(place) else _naming_part(place)
    with place() if callable(place) else open(place, "rb") as file, naming:
        return sum(unpacked_sizes(file, _layout(_opened(place).schema, columns)))


def _opened(place: Any, places: list[int] | None = None) -> Any:  # noqa: ANN401  # of a library without types
    """An Arrow file, or a stream of batches in a file, of which the columns at some places are read."""
    arrow = library("pyarrow", "Arrow files")
    options = arrow.ipc.IpcReadOptions(included_fields=places or [])
    source = arrow.input_stream(place()) if callable(place) else arrow.OSFile(place)  # not mapped, either
    is_file = source.read(len(FILE)) == FILE
    source.seek(0)
    return (arrow.ipc.open_file if is_file else arrow.ipc.open_stream)(source, options=options)


def _arrow(place: str | Callable[[], BinaryIO], bounded: Callable[[int], SizeBounds]) -> ArrowTable:
    """An Arrow file, or a stream of batches in a file."""
    _check_arrow(place)
    names, troubles = tuple(_opened(place).schema.names), list[Exception]()

    def stream(columns: list[str]) -> object:
        with place() if callable(place) else open(place, "rb") as file:
            bounds = bounded(file.seek(0, os.SEEK_END))
        bounds.check_unpacked(_unpacked_size(place, columns))
        reader = _opened(place, [names.index(column) for column in columns])
        is_file = hasattr(reader, "get_batch")
        batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
        return _stream(reader.schema, bounds.checked(map(_sound, batches), columns), troubles)

    return ArrowTable(names, stream, troubles=troubles)


def check_rows(claimed: int | None, read: int) -> None:
    """Raise ValueError where a file says that it has more or fewer rows than it has."""
    if claimed not in {None, read}:
        raise ValueError(f"it says that it has {claimed} rows, and has {read}")


def _stream(schema: Any, batches: Iterable[Any], troubles: list[Exception], rows: int | None = None) -> object:  # noqa: ANN401  # of a library without types
    """A stream for the core of batches that are known to be sound, as it follows the places and lengths in them.

    It is without what the file says about itself, which need not be text. `rows` is how many there are. `troubles` gets
    the errors on the way: those of the library itself, which the core hears of in few words only.
    """
    arrow = library("pyarrow", "such files")
    bare = arrow.schema([arrow.field(field.name, field.type, field.nullable) for field in schema])

    def counted() -> Iterator[Any]:
        read = 0
        try:
            for batch in batches:
                read += batch.num_rows
                yield arrow.RecordBatch.from_arrays(batch.columns, schema=bare)
            check_rows(rows, read)
        except Exception as error:
            troubles.append(error)
            raise

    return arrow.RecordBatchReader.from_batches(bare, counted())


def _sound(batch: Any) -> Any:  # noqa: ANN401  # of a library without types
    """Validate a batch that the library took from a file unchecked: a damaged one could point outside its memory."""
    batch.validate(full=True)
    return batch


@contextmanager
def in_words(where: str, form: str, table: ArrowTable | None = None) -> Iterator[None]:
    """Errors of the library while a file is read become FormatErrors that name it."""
    arrow = library("pyarrow", f"{WORDS[form]} files")
    try:
        yield
    except InputError as error:
        if table is None or not table.troubles:
            raise
        if isinstance(table.troubles[-1], TooLargeError):
            raise table.troubles[-1] from None
        raise _damaged(where, form, table.troubles[-1]) from error
    except (FileNotFoundError, PermissionError):
        raise
    except (arrow.ArrowException, OSError, RuntimeError, ValueError, KeyError, MemoryError, OverflowError) as error:
        raise _damaged(where, form, error) from error


def _damaged(where: str, form: str, error: Exception) -> FormatError:
    first = in_print(str(error).strip().partition("\n")[0])
    expected = f"expected {WORDS[form]} data from its first bytes on"
    return FormatError(f"{where}: {expected}, and it cannot be read ({first})\nwrite the file again")
