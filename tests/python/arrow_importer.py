"""Takes a table by Arrow's C stream interface, as Arrow's document describes it."""

import ctypes
import struct


class Schema(ctypes.Structure):
    pass


class Array(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(Schema))), ("dictionary", ctypes.POINTER(Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Schema))), ("private_data", ctypes.c_void_p)]
Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)),
    ("children", ctypes.POINTER(ctypes.POINTER(Array))), ("dictionary", ctypes.POINTER(Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Array))), ("private_data", ctypes.c_void_p)]
Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(Stream), ctypes.POINTER(Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(Stream))), ("private_data", ctypes.c_void_p)]

LETTERS = {b"c": "b", b"C": "B", b"s": "h", b"S": "H", b"i": "i", b"I": "I", b"l": "q", b"L": "Q",
           b"f": "f", b"g": "d"}


def values_of(schema, array):
    rows = array.length
    if schema.format == b"b":
        bits = ctypes.string_at(array.buffers[1], (rows + 7) // 8)
        return [bool(bits[row // 8] >> row % 8 & 1) for row in range(rows)]
    if schema.format == b"u":
        ends = struct.unpack(f"{rows + 1}i", ctypes.string_at(array.buffers[1], 4 * (rows + 1)))
        text = ctypes.string_at(array.buffers[2], ends[-1])
        return [text[begin:end].decode() for begin, end in zip(ends, ends[1:])]
    letter = LETTERS[schema.format]
    data = ctypes.string_at(array.buffers[1], rows * struct.calcsize(letter))
    values = list(struct.unpack(f"={rows}{letter}", data))
    if array.buffers[0]:
        bits = ctypes.string_at(array.buffers[0], (rows + 7) // 8)
        values = [value if bits[row // 8] >> row % 8 & 1 else None
                  for row, value in enumerate(values)]
        assert values.count(None) == array.null_count and schema.flags & 2
    if not schema.dictionary:
        return values
    texts = values_of(schema.dictionary.contents, array.dictionary.contents)
    return [texts[value] for value in values]


def read(table):
    """{column: values} of the table's batches; everything is released."""
    capsule = table.__arrow_c_stream__()
    pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer_of(capsule, b"arrow_array_stream"), ctypes.POINTER(Stream))
    schema = Schema()
    assert stream.contents.get_schema(stream, ctypes.byref(schema)) == 0
    assert schema.format == b"+s"
    names = [schema.children[i].contents.name.decode() for i in range(schema.n_children)]
    columns = {name: [] for name in names}
    while True:
        batch = Array()
        assert stream.contents.get_next(stream, ctypes.byref(batch)) == 0
        if not batch.release:
            break
        for i, name in enumerate(names):
            columns[name] += values_of(schema.children[i].contents, batch.children[i].contents)
        batch.release(ctypes.byref(batch))
        assert not batch.release
    schema.release(ctypes.byref(schema))
    stream.contents.release(stream)
    return columns
