"""Tables handed over Arrow's C stream interface by a producer that can be made to lie about anything."""

import ctypes
from collections.abc import Callable
from typing import Any, ClassVar

import pyarrow as pa

POINTER = ctypes.c_void_p


class RawArray(ctypes.Structure):
    """ArrowArray of the C data interface."""


RELEASE = ctypes.CFUNCTYPE(None, ctypes.POINTER(RawArray))
RawArray._fields_ = [
    *((name, ctypes.c_int64) for name in ("length", "null_count", "offset", "n_buffers", "n_children")),
    ("buffers", ctypes.POINTER(POINTER)),
    ("children", ctypes.POINTER(ctypes.POINTER(RawArray))),
    ("dictionary", ctypes.POINTER(RawArray)),
    ("release", RELEASE),
    ("private_data", POINTER),
]


class RawStream(ctypes.Structure):
    """ArrowArrayStream of the C stream interface."""

    _fields_: ClassVar = [(name, POINTER) for name in ("get_schema", "get_next", "get_last_error", "release", "data")]


@RELEASE
def release(array: Any) -> None:
    """Nothing is freed: Python keeps all of it alive. Children that nobody moved are marked, too."""
    array.contents.release = RELEASE()


class Producer:
    """A table of one batch; `lie` changes what is handed over, given the batch and its columns."""

    def __init__(self, table: pa.Table, lie: Callable[[RawArray, list[RawArray]], None] = lambda *_: None) -> None:
        self.table, self.lie = table.combine_chunks(), lie
        self.schema, self.column_names = table.schema, table.column_names
        self.alive: list[object] = []

    def raw(self, array: pa.Array) -> RawArray:
        """One column as the interface has it."""
        is_coded = pa.types.is_dictionary(array.type)
        held = array.indices.buffers() if is_coded else array.buffers()
        addresses = [buffer.address if buffer else None for buffer in held]
        if pa.types.is_string_view(array.type) or pa.types.is_binary_view(array.type):
            sizes = (ctypes.c_int64 * max(1, len(held) - 2))(*(buffer.size for buffer in held[2:]))
            addresses.append(ctypes.addressof(sizes))
            self.alive.append(sizes)
        buffers = (POINTER * max(1, len(addresses)))(*addresses)
        raw = RawArray(len(array), array.null_count, array.offset, len(addresses), 0, buffers)
        raw.release = release
        if is_coded:
            values = self.raw(array.dictionary)
            raw.dictionary = ctypes.pointer(values)
        self.alive += [array, held, buffers, raw]
        return raw

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        columns = [self.raw(self.table.column(place).chunk(0)) for place in range(self.table.num_columns)]
        children = (ctypes.POINTER(RawArray) * len(columns))(*map(ctypes.pointer, columns))
        no_buffers = (POINTER * 1)(None)
        batch = RawArray(self.table.num_rows, 0, 0, 1, len(columns), no_buffers, children)
        batch.release = release
        self.lie(batch, columns)
        batches = [batch]

        @ctypes.CFUNCTYPE(ctypes.c_int, POINTER, POINTER)
        def get_schema(_: int, out: int) -> int:
            self.schema._export_to_c(out)
            return 0

        @ctypes.CFUNCTYPE(ctypes.c_int, POINTER, ctypes.POINTER(RawArray))
        def get_next(_: int, out: Any) -> int:
            ctypes.memset(out, 0, ctypes.sizeof(RawArray))
            if batches:
                ctypes.memmove(out, ctypes.byref(batches.pop()), ctypes.sizeof(RawArray))
            return 0

        @ctypes.CFUNCTYPE(None, ctypes.POINTER(RawStream))
        def end(stream: Any) -> None:
            stream.contents.release = None

        calls = [ctypes.cast(call, POINTER) for call in (get_schema, get_next)]
        stream = RawStream(*calls, None, ctypes.cast(end, POINTER), None)
        self.alive += [children, no_buffers, batch, stream, get_schema, get_next, end]
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]
        return capsule(ctypes.addressof(stream), b"arrow_array_stream", None)
