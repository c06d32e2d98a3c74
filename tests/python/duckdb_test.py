"""DuckDB, as npm's packages have it, takes the tables of the package nadi through Arrow's C stream."""

import ctypes
import os
import pathlib
import platform
import subprocess
import sys
import tarfile
import tempfile
import unittest

try:
    import nadi
    import numpy
except ImportError as missing:
    print(f"Passed over: {missing}. Install python3-numpy.")
    sys.exit(77)

SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "data" / "ddp-2rank"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}
PACKAGE = f"@duckdb/node-bindings-linux-{MACHINES.get(platform.machine())}@1.5.6-r.1"


def fetch(folder):
    """The library of the package, or None where npm does not get it within a minute."""
    try:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=folder, check=True, timeout=60,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (OSError, subprocess.SubprocessError):
        return None
    with tarfile.open(next(pathlib.Path(folder).glob("*.tgz"))) as package:
        package.extract("package/libduckdb.so", folder)
    return ctypes.CDLL(os.path.join(folder, "package", "libduckdb.so"))


class Result(ctypes.Structure):
    """duckdb_result."""
    _fields_ = [("counts", ctypes.c_uint64 * 3), ("columns", ctypes.c_void_p),
                ("error", ctypes.c_char_p), ("data", ctypes.c_void_p)]


class Database:
    """One in memory, through DuckDB's C interface."""

    def __init__(self, library):
        self._duckdb, self._streams = library, []
        library.duckdb_value_varchar.restype = ctypes.c_void_p
        library.duckdb_value_varchar.argtypes = [ctypes.c_void_p, ctypes.c_uint64, ctypes.c_uint64]
        library.duckdb_row_count.restype = library.duckdb_column_count.restype = ctypes.c_uint64
        library.duckdb_result_error.restype = ctypes.c_char_p
        library.duckdb_arrow_scan.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
        database, self._connection = ctypes.c_void_p(), ctypes.c_void_p()
        if (library.duckdb_open(None, ctypes.byref(database)) != 0 or
                library.duckdb_connect(database, ctypes.byref(self._connection)) != 0):
            raise RuntimeError("DuckDB does not open a database")

    def take(self, name, table):
        """Makes a table of that name of the Arrow stream."""
        stream = table.__arrow_c_stream__()
        self._streams.append(stream)
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        if self._duckdb.duckdb_arrow_scan(self._connection, f"{name}_stream".encode(),
                                          pointer(stream, b"arrow_array_stream")) != 0:
            raise RuntimeError(f"DuckDB does not take {name}")
        self.ask(f"create table {name} as select * from {name}_stream")

    def ask(self, query):
        """Rows of texts; None = no value."""
        result = Result()
        if self._duckdb.duckdb_query(self._connection, query.encode(), ctypes.byref(result)) != 0:
            raise RuntimeError(self._duckdb.duckdb_result_error(ctypes.byref(result)).decode())

        def text(column, row):
            found = self._duckdb.duckdb_value_varchar(ctypes.byref(result), column, row)
            return ctypes.string_at(found).decode() if found else None
        columns = range(self._duckdb.duckdb_column_count(ctypes.byref(result)))
        rows = range(self._duckdb.duckdb_row_count(ctypes.byref(result)))
        return [[text(column, row) for column in columns] for row in rows]


class TablesInDuckDB(unittest.TestCase):
    database = None  # set below

    def test_events_have_the_same_rows_sums_and_names(self):
        table = nadi.events(SAMPLE / "device.0.json.gz")
        self.database.take("events", table)
        [[rows, duration, names]] = self.database.ask(
            "select count(*), sum(dur), count(distinct name) from events")
        self.assertEqual((int(rows), int(names)), (len(table), len(set(table["name"]))))
        self.assertAlmostEqual(float(duration), float(table["dur"].sum()))

    def test_edges_of_a_graph_are_grouped_as_numpy_groups_them(self):
        edges = nadi.open(SAMPLE).graph(0).edges
        self.database.take("edges", edges)
        counted = dict(zip(*numpy.unique([str(text) for text in edges["evidence"]], return_counts=True)))
        asked = self.database.ask("select evidence, count(*) from edges group by 1")
        self.assertEqual({evidence: int(count) for evidence, count in asked}, counted)

    def test_what_has_no_value_is_null_and_flags_are_flags(self):
        number = numpy.ma.array([1, 2, 3], mask=[False, True, False])
        self.database.take("mine", nadi.Table({"n": number, "flag": numpy.array([True, False, True])}))
        self.assertEqual(self.database.ask("select n, flag from mine"),
                         [["1", "true"], [None, "false"], ["3", "true"]])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        library = fetch(place)
        if library is None:
            print(f"Passed over: npm does not get {PACKAGE}.")
            sys.exit(77)
        TablesInDuckDB.database = Database(library)
        unittest.main()
