"""Prints how fast the Python package is, in CPU seconds, the least of several runs: the events of a trace
as a DataFrame, beside pandas' reading of nadi's own CSV and Python's of the JSON, which HTA begins with; and
a graph of a million nodes as NumPy's arrays, beside the reading of its file.

    python3 tests/bench/python.py [TRACE]    default: ../shared/traces/trace-diff/control.json.gz
    RUNS=5 BUILD=build-bench
"""

import gzip
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / os.environ.get("BUILD", "build-bench")
sys.path.insert(0, str(BUILD / "converters" / "python"))

import nadi
import pandas


def seconds(work):
    times = []
    for _ in range(int(os.environ.get("RUNS", "5"))):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return min(times)


def tool(*arguments):
    subprocess.run([BUILD / "converters" / "nadi", "-q", *map(str, arguments)], check=True)


def show(what, taken):
    print(f"{taken:7.3f} s  {what}", flush=True)


def measure_events(trace, folder):
    tool("events", trace, "--output", folder / "events.csv")
    show("nadi.events(TRACE).to_pandas()", seconds(lambda: nadi.events(trace).to_pandas()))
    show("pandas.read_csv() of what nadi events --output x.csv wrote",
         seconds(lambda: pandas.read_csv(folder / "events.csv", low_memory=False)))

    def read_json():
        with gzip.open(trace) as file:
            json.load(file)
    show("json.load() of the trace", seconds(read_json))


def measure_graph(folder):
    tool("generate", "data-parallel", "--npus", 2, "--layers", 200_000, "--output", folder / "graph")
    path = next(folder.glob("graph*.et"))
    graph = nadi.read_graph(path)
    show(f"nadi.read_graph() of {len(graph.nodes):,} nodes and {len(graph.edges):,} edges",
         seconds(lambda: nadi.read_graph(path)))
    show("its nodes and edges as arrays", seconds(lambda: (graph._graph.nodes(), graph._graph.edges())))
    show("nadi.check() of it", seconds(lambda: nadi.check(path)))


def main():
    trace = sys.argv[1] if len(sys.argv) > 1 else ROOT / "../shared/traces/trace-diff/control.json.gz"
    with tempfile.TemporaryDirectory() as folder:
        measure_events(trace, pathlib.Path(folder))
        measure_graph(pathlib.Path(folder))


main()
