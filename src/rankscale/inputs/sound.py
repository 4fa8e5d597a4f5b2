"""Arrow tables of pyarrow, whose buffers are as long as what points into them, before the core follows it.

The C data interface, over which the core takes tables, does not say how long buffers are; pyarrow knows, and takes
files as they are. All else is checked by the core (`rust/src/arrow_border.rs`).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from rankscale.errors import FormatError


def sound(source: Any, columns: Sequence[str]) -> Any:  # noqa: ANN401  # of a library without types
    """The same, with the buffers of these columns checked if they are pyarrow's; FormatError where one is too short.

    Tables are checked at once, and readers of batches batch by batch, as they are read. Objects of other libraries
    stay as they are.
    """
    if type(source).__module__.partition(".")[0] != "pyarrow":
        return source
    if hasattr(source, "read_next_batch"):
        return _checked_reader(source)
    if hasattr(source, "select") and hasattr(source, "validate"):
        source = source.select([source.schema.names.index(column) for column in dict.fromkeys(columns)])
        try:
            source.validate()
        except ValueError as error:  # ArrowInvalid
            raise FormatError(f"the Arrow table cannot be read: {error}") from None
    return source


def _checked_reader(reader: Any) -> Any:  # noqa: ANN401  # of a library without types
    import pyarrow as pa

    def batches() -> Iterator[Any]:
        for batch in reader:
            batch.validate()  # the core hears of the error, and says it in words
            yield batch

    return pa.RecordBatchReader.from_batches(reader.schema, batches())
