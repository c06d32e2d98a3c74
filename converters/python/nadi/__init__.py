"""PyTorch execution traces as tables, graphs, profiles and replays.

    import nadi
    job = nadi.open("traces/")          # or files, or Chakra graphs (.et)
    job.steps()                         # where each step's time went, ms
    job.kernels(step=3).head(10)
    job.critical_path().by("rank")
    job.what_if({"kernel:gemm": 0.5}).ms
    graph = job.graph(0)                # graph.nodes["start_ns"], graph.edges["source"], …
    nadi.convert("traces/", output="out/job", target="astra-sim")

Options have the names, defaults and words of the tool (`nadi help convert`), with _ for -. Errors are
nadi.Error; what was found beside the work is a warning of nadi.FindingWarning. `progress=` takes a
function (stage, done, total).
"""

import builtins as _builtins
import csv as _csv
import functools as _functools
import json as _json
import os as _os
import re as _re
import sys as _sys
import tempfile as _tempfile
import warnings as _warnings

import numpy as _numpy

from . import _nadi
from ._nadi import Error

__all__ = ["Error", "FindingWarning", "Graph", "Job", "Path", "Run", "Table", "Texts", "check",
           "compare_traces", "convert", "diff", "events", "link", "open", "ops_diff", "profile",
           "read_graph", "replay", "run", "visualize_counts_diff", "visualize_duration_diff"]


class FindingWarning(UserWarning):
    """What nadi found beside its work: `nadi help findings` says what each name means."""


def _warn(findings):
    level, frame = 2, _sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    for found in findings:
        if found["severity"] != "info":
            first = f", first {found['first'][0]}" if found["first"] else ""
            _warnings.warn(f"{found['kind']}: {found['count']} times{first}", FindingWarning,
                           level)


class Texts:
    """A column of texts: `codes`, an array, and what they stand for, `names`, a list."""

    def __init__(self, codes, names):
        self.codes, self.names = codes, names

    def __len__(self):
        return len(self.codes)

    def __getitem__(self, rows):
        codes = self.codes[rows]
        return self.names[codes] if _numpy.isscalar(codes) else Texts(codes, self.names)

    def __iter__(self):
        return (self.names[code] for code in self.codes)

    def __eq__(self, text):
        """An array that is true where the text is `text`."""
        codes = [code for code, name in enumerate(self.names) if name == text]
        return _numpy.isin(self.codes, codes)

    def __ne__(self, text):
        """An array that is true where the text is another one."""
        return ~(self == text)

    __hash__ = None

    def tolist(self):
        """The text of each row."""
        return list(self)

    def __array__(self, dtype=None):
        return _numpy.array(self.names + [None], dtype=object)[self.codes].astype(dtype or object)

    def __repr__(self):
        return f"Texts({list(self[:10])}{', …' if len(self) > 10 else ''})"

    def used(self):
        """The same without names that no row has."""
        is_used = _numpy.zeros(len(self.names), dtype=bool)
        is_used[self.codes] = True
        places = _numpy.cumsum(is_used, dtype=_numpy.int32) - 1
        names = [self.names[code] for code in _numpy.flatnonzero(is_used)]
        return Texts(places[self.codes], names)

    @staticmethod
    def of(values):
        """Of a list of texts."""
        codes = {}
        rows = [codes.setdefault(value, len(codes)) for value in values]
        return Texts(_numpy.array(rows, dtype=_numpy.int32), list(codes))


class Table:
    """Columns of one length: `table["name"]` is a NumPy array, or Texts.

    to_pandas() makes a DataFrame; polars, pyarrow and DuckDB take a table as it is."""

    def __init__(self, columns):
        self._columns = {name: Texts(*values) if isinstance(values, tuple) else values
                         for name, values in columns.items()}

    @staticmethod
    def of_rows(rows):
        """Of a list of dicts, or of parts of nadi's JSON: names inside names are joined by a dot."""
        flat = [dict(_flat(row)) for row in rows]
        columns = {}
        for name in dict.fromkeys(name for row in flat for name in row):
            values = [row.get(name) for row in flat]
            if any(isinstance(value, str) for value in values):
                columns[name] = Texts.of(["" if value is None else value for value in values])
            else:
                has_none = any(value is None for value in values)
                columns[name] = _numpy.array(values, dtype=float if has_none else None)
        return Table(columns)

    @property
    def columns(self):
        """The columns' names."""
        return list(self._columns)

    def __len__(self):
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, key):
        """A column by its name; else a table of the rows of a slice or a mask."""
        if isinstance(key, str):
            return self._columns[key]
        table = Table({})
        table._columns = {name: values[key] for name, values in self._columns.items()}
        return table

    def __iter__(self):
        return iter(self._columns)

    def __contains__(self, name):
        return name in self._columns

    def head(self, rows=5):
        """The first rows."""
        return self[:rows]

    def rows(self):
        """A dict of each row."""
        lists = [list(v) if isinstance(v, Texts) else v.tolist() for v in self._columns.values()]
        return [dict(zip(self._columns, row)) for row in zip(*lists)]

    def to_pandas(self):
        """A DataFrame; texts are categories."""
        import pandas
        frame = {}
        for name, values in self._columns.items():
            if isinstance(values, Texts):
                used = values.used()
                values = pandas.Categorical.from_codes(used.codes, used.names)
            frame[name] = values
        return pandas.DataFrame(frame, copy=False)

    def __arrow_c_stream__(self, requested_schema=None):
        """https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html"""
        return _nadi.arrow_stream(len(self), [_arrow_column(*one) for one in self._columns.items()])

    def __repr__(self):
        shown = [[_cell(value) for value in row.values()] for row in self.head(20).rows()]
        widths = [max(len(row[i]) for row in [self.columns] + shown)
                  for i in range(len(self.columns))]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths))
                 for row in [self.columns] + shown]
        if len(self) > len(shown):
            lines.append(f"and {len(self) - len(shown)} more rows")
        return "\n".join(lines)


def _flat(row, before=""):
    for name, value in row.items():
        if isinstance(value, dict):
            yield from _flat(value, before + name + ".")
        elif not isinstance(value, list):
            yield before + name, value


def _cell(value):
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _arrow_column(name, values):
    formats = {"b1": "b", "i1": "c", "u1": "C", "i2": "s", "u2": "S", "i4": "i", "u4": "I",
               "i8": "l", "u8": "L", "f4": "f", "f8": "g"}
    array = values.codes if isinstance(values, Texts) else values
    letters = formats[array.dtype.str[1:]]
    buffer = _numpy.packbits(array, bitorder="little") if letters == "b" else array
    buffer = _numpy.ascontiguousarray(buffer)
    if not isinstance(values, Texts):
        return name, letters, buffer, None, None
    texts = [text.encode() for text in values.names]
    ends = _numpy.cumsum([0] + [len(text) for text in texts], dtype=_numpy.int32)
    return name, letters, buffer, ends, b"".join(texts)


def _in_ms(table):
    """Columns of ns as ms."""
    made = Table({})
    for name, values in table._columns.items():
        new = _re.sub(r"(^|_)ns(?=$|\.)", r"\1ms", name)
        made._columns[new] = values if new == name else values / 1e6
    return made


class Graph:
    """The graph of one rank: tables that look into nadi's memory. Rows are in ascending order of id;
    `parent`, `source`, `target` and `node` are rows of `nodes`, `lane` is a row of `lanes`; times are
    ns from the begin of the trace; -1 is none."""

    def __init__(self, graph):
        self._graph = graph

    @property
    def name(self):
        """The file it was read from, or made of."""
        return self._graph.name

    @property
    def rank(self):
        """The rank; None where nothing tells it."""
        return self._graph.rank

    def __len__(self):
        return len(self._graph)

    @_functools.cached_property
    def nodes(self):
        """id, name, type, kind, start_ns, duration_ns, lane, step, parent, shapes, …"""
        return Table(self._graph.nodes())

    @_functools.cached_property
    def edges(self):
        """source, target, kind (data or control), evidence, inferred ("told" = recorded)."""
        return Table(self._graph.edges())

    @_functools.cached_property
    def communications(self):
        """node, collective ("" of messages), bytes, src, dst, tag, seq, group, dtype."""
        return Table(self._graph.communications())

    @_functools.cached_property
    def lanes(self):
        """name, tid, device, stream."""
        return Table(self._graph.lanes())

    def to_networkx(self):
        """A networkx.DiGraph: nodes are rows with the attributes of `nodes`, edges those of `edges`."""
        import networkx
        made = networkx.DiGraph(name=self.name, rank=self.rank)
        made.add_nodes_from(enumerate(self.nodes.rows()))
        for edge in self.edges.rows():
            made.add_edge(edge.pop("source"), edge.pop("target"), **edge)
        return made


class Path:
    """The critical path: `pieces` has a row per stretch, in the order of time."""

    def __init__(self, pieces):
        self.pieces = pieces

    @property
    def ms(self):
        """How long it is."""
        return float(self.pieces["duration_ns"].sum() / 1e6)

    def by(self, what):
        """Sums, longest first, by "op" (kind and name), "kind", "rank" or "step"."""
        if what not in ("op", "kind", "rank", "step"):
            raise ValueError(f"by({what!r}): there are 'op', 'kind', 'rank' and 'step'")
        keys = ["kind", "name"] if what == "op" else [what]
        sums = {}
        for row in self.pieces.rows():
            one = sums.setdefault(tuple(row[key] for key in keys), [0, 0])
            one[0] += 1
            one[1] += row["duration_ns"]
        whole = sum(ns for _, ns in sums.values()) or 1
        order = sorted(sums.items(), key=lambda item: -item[1][1])
        return Table.of_rows([{**dict(zip(keys, key)), "pieces": pieces, "ms": ns / 1e6,
                               "share": ns / whole} for key, (pieces, ns) in order])


class Run:
    """A job as measured, replayed, or replayed with scales."""

    def __init__(self, job, run):
        self._job, self._run = job, run

    @property
    def ns(self):
        """From the first node to the last, delays not counted."""
        return self._run.length_ns

    @property
    def ms(self):
        """The same."""
        return self.ns / 1e6

    def times(self, rank):
        """start_ns and end_ns of each node of the rank's graph, in the job's clock."""
        return Table(self._job.times(rank, self._run))

    def critical_path(self, step=None):
        """What the end had to wait for; of one step those of its pieces."""
        pieces = Table(self._job.path(self._run))
        return Path(pieces if step is None else pieces[pieces["step"] == step])

    def __repr__(self):
        return f"<nadi.Run of {self.ms:.3f} ms>"


class Job:
    """The ranks of one job; nadi.open() makes it."""

    def __init__(self, inputs, steps=None, progress=None):
        self._inputs = inputs
        self._job = _nadi.load_job(inputs, steps, progress)
        self._of_step = {}
        _warn(self._job.findings)

    @property
    def ranks(self):
        """The ranks that there are."""
        return self._job.ranks

    def __repr__(self):
        return f"<nadi.Job of ranks {self.ranks}>"

    def graph(self, rank=None):
        """The graph of a rank; None = the first."""
        return Graph(self._job.graph(self.ranks[0] if rank is None else rank))

    def profile(self, peak_tflops=0, memory_gb_per_s=0):
        """All that `nadi profile --output x.json` writes, as dicts and lists; times are ns."""
        return _json.loads(self._job.profile_json(peak_tflops, memory_gb_per_s))

    def _table(self, name, step=None, **roofline):
        if step is None:
            return _in_ms(Table.of_rows(self.profile(**roofline)[name]))
        if step not in self._of_step:
            self._of_step[step] = Job(self._inputs, str(step))
        return self._of_step[step]._table(name, **roofline)

    def steps(self):
        """Of each step, rank and device: length, computation, exposed communication, exposed copies
        and idle time by cause, ms."""
        return self._table("steps")

    def devices(self):
        """The same of whole traces."""
        return self._table("devices")

    def kernels(self, step=None, peak_tflops=0, memory_gb_per_s=0):
        """By falling time: family, the op that launched most, count, TFLOP/s, …; of one step where
        the job was opened from traces."""
        return self._table("kernels", step, peak_tflops=peak_tflops,
                           memory_gb_per_s=memory_gb_per_s)

    def ops(self, step=None):
        """By falling own time: count, own, host and inclusive time, device time launched below."""
        return self._table("ops", step)

    def idle(self, step=None):
        """Why devices stood idle, and at which place of the program, longest first."""
        return self._table("idle", step)

    def collectives(self, step=None):
        """Kind, group, bytes, the rank that came last, waiting of all, transfer time, bandwidth."""
        return self._table("collectives", step)

    def collective_members(self):
        """Of each collective's ranks: start, end, waiting; `collective` is the row there."""
        return _in_ms(Table.of_rows([{"collective": place, **member}
                                     for place, one in enumerate(self.profile()["collectives"])
                                     for member in one["members"]]))

    def waiting(self):
        """Of each rank: how often it came last, how long others waited for it, and it for others."""
        return self._table("waiting")

    def findings(self):
        """What looks wrong, worst first, and what to do."""
        return self._table("findings")

    def measured(self):
        """The job as recorded."""
        return Run(self._job, self._job.measured())

    def replay(self, scale=(), lanes="all", inferred="with"):
        """The job run again; scale: {"kernel:gemm": 0.5}, or a list of "kernel:gemm=0.5"; lanes: all,
        one-host (host threads share one), none; inferred: with or without guessed dependencies."""
        if isinstance(scale, dict):
            scale = [f"{what}={factor}" for what, factor in scale.items()]
        scale = [scale] if isinstance(scale, str) else list(scale)
        if inferred not in ("with", "without"):
            raise ValueError(f"inferred={inferred!r}: there are 'with' and 'without'")
        return Run(self._job, self._job.replay(scale, lanes, inferred == "with"))

    def what_if(self, scale, **options):
        """replay(), with what is to change first."""
        return self.replay(scale, **options)

    def critical_path(self, step=None):
        """What the recorded end had to wait for, over all ranks; of one step those of its pieces."""
        return self.measured().critical_path(step)


def _paths(paths):
    if not paths:
        raise TypeError("no trace, graph or folder is given")
    flat = [one for path in paths for one in (path if isinstance(path, (list, tuple)) else [path])]
    return [_os.fspath(path) for path in flat]


def open(*paths, steps=None, progress=None):
    """The job of traces, graphs, folders or archives (tar, zip) of them; steps: "3-5", of traces alone."""
    return Job(_paths(paths), None if steps is None else str(steps), progress)


def profile(*paths, steps=None, peak_tflops=0, memory_gb_per_s=0, progress=None):
    """All that `nadi profile --output x.json` writes, as dicts and lists."""
    return open(*paths, steps=steps, progress=progress).profile(peak_tflops, memory_gb_per_s)


def replay(*paths, scale=(), lanes="all", inferred="with", progress=None):
    """The job run again, as Job.replay()."""
    return open(*paths, progress=progress).replay(scale, lanes, inferred)


def read_graph(path, shapes=True, progress=None):
    """A Chakra graph (.et), packed or not."""
    return Graph(_nadi.read_graph(_os.fspath(path), shapes, progress))


def check(*graphs):
    """A row per rule that a graph breaks, with the graph; none = all are good."""
    return Table.of_rows([{"graph": path, **finding, "first": "; ".join(finding["first"])}
                          for path in _paths(graphs) for finding in _nadi.check(path)])


def _words(options):
    """Options as words of the tool: args=["a", "b"] is --args a --args b, strict=True is --strict."""
    words = []
    for name, value in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, dict):
            value = [f"{key}={one}" for key, one in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                words.append(option)
            elif one is not None and one is not False:
                words.append(f"{option}={one if isinstance(one, str) else _text(one)}")
    return words


def _text(value):
    return _os.fspath(value) if hasattr(value, "__fspath__") else str(value)


def run(verb, *arguments, progress=None, **options):
    """Any verb of the tool, which prints where the tool prints; returns its exit code, 0 or 1."""
    return _nadi.run([verb, *map(_text, arguments), *_words(options)], progress)


def _json_of(verb, option, arguments, progress, options):
    with _tempfile.TemporaryDirectory() as folder:
        written = _os.path.join(folder, "written.json")
        options = {option: written, "quiet": True, **options}
        written = options[option]
        run(verb, *arguments, progress=progress, **options)
        with _open_text(written) as file:
            return _json.load(file)


def _open_text(path):
    return _builtins.open(path, encoding="utf-8", newline="")


def convert(*traces, progress=None, **options):
    """`nadi convert`: writes graphs, by default named after the trace, in the current folder; returns
    what --report writes, as dicts and lists. target="astra-sim" makes a job for a simulator."""
    report = _json_of("convert", "report", _paths(traces) if traces else [], progress, options)
    _warn(report.get("diagnostics", []))
    return report


def link(*traces, output, progress=None, **options):
    """`nadi link`: writes the linked JSON that MLCommons' converter reads; returns its path."""
    run("link", *_paths(traces), output=output, quiet=True, progress=progress, **options)
    return output


def events(*paths, progress=None, **options):
    """The events of device traces as a table, with the columns of `nadi events`: times are µs.
    args=["bandwidth"], add_arg=…, iterations="3-5", round_us=True, …"""
    settings = {}
    for word in _words(options):
        name, _, value = word[2:].partition("=")
        settings.setdefault(name, []).append(value if "=" in word else "true")
    columns, findings = _nadi.events(_paths(paths), settings, progress)
    _warn(findings)
    return Table(columns)


def diff(control, test, progress=None, **options):
    """`nadi diff`: test minus control, a row per name, or as by="kernel-family" groups them."""
    rows = _diff_json(control, test, progress, options)["rows"]
    return Table.of_rows(rows)


def _diff_json(control, test, progress, options):
    sides = {"control": _paths([control]), "test": _paths([test])}
    return _json_of("diff", "output", [], progress, {**sides, **options})


# HTA's names (hta.trace_diff.TraceDiff), with its arguments and answers.

def _hta_options(control_rank, test_rank, control_iteration, test_iteration, device_type):
    devices = {"ALL": "all", "CPU": "host", "GPU": "device"}
    asked = {"control_ranks": control_rank, "test_ranks": test_rank,
             "control_iterations": control_iteration, "test_iterations": test_iteration}
    return {"device": devices[getattr(device_type, "name", str(device_type)).upper()],
            "round_us": True, **{name: value for name, value in asked.items() if value is not None}}


def compare_traces(control, test, control_rank=None, test_rank=None, control_iteration=None,
                   test_iteration=None, device_type="ALL", use_short_name=False):
    """HTA's TraceDiff.compare_traces() of paths: a DataFrame with HTA's columns, µs."""
    import pandas
    options = _hta_options(control_rank, test_rank, control_iteration, test_iteration, device_type)
    with _tempfile.TemporaryDirectory() as folder:
        written = _os.path.join(folder, "diff.csv")
        run("diff", control=_paths([control]), test=_paths([test]), output=written, quiet=True,
            by="short-name" if use_short_name else "name", **options)
        with _open_text(written) as file:
            rows = list(_csv.DictReader(file))
    texts = ("name", "short_name", "counts_change_categories")
    return pandas.DataFrame({name: [row[name] if name in texts else float(row[name]) for row in rows]
                             for name in (rows[0] if rows else ())})


def ops_diff(control, test, control_rank=None, test_rank=None, control_iteration=None,
             test_iteration=None, device_type="ALL"):
    """HTA's TraceDiff.ops_diff() of paths: the names that were added, deleted, increased, …"""
    options = _hta_options(control_rank, test_rank, control_iteration, test_iteration, device_type)
    return _diff_json(control, test, None, options)["ops_diff"]


def _bars(frame, title, columns, export_image_path):
    from matplotlib import pyplot
    names = frame.columns[0]
    figure, axes = pyplot.subplots(figsize=(10, 2 + 0.3 * len(frame)))
    frame.plot.barh(x=names, y=columns, ax=axes, title=title)
    axes.invert_yaxis()
    figure.tight_layout()
    if export_image_path is not None:
        figure.savefig(export_image_path)
    return figure


def visualize_counts_diff(df, export_image_path=None):
    """HTA's bars of counts; draws with matplotlib, and returns the figure."""
    return _bars(df, "Counts", ["Control_counts", "Test_counts"], export_image_path)


def visualize_duration_diff(df, export_image_path=None):
    """HTA's bars of durations, µs."""
    return _bars(df, "Durations, µs", ["Control_total_duration", "Test_total_duration"],
                 export_image_path)
