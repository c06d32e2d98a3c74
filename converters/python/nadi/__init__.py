"""PyTorch execution traces as tables, graphs, profiles and replays.

    import nadi
    job = nadi.open("traces/")          # or files, or Chakra graphs (.et)
    job.steps()                         # where each step's time went, ms
    job.kernels(step=3).head(10)
    job.critical_path().by("rank")
    job.what_if({"kernel:gemm": 0.5}).ms
    graph = job.graph(0)                # graph.nodes["start_ns"], graph.edges["source"], …
    nadi.convert("traces/", output="out/job", target="astra-sim")

Options have the names, defaults and words of the tool, with _ for -: nadi.run("convert", help_all=True)
prints those of nadi.convert, and "link", "diff", "check" and "events" theirs. Errors are nadi.Error; what
is lost or doubtful in traces is a warning of nadi.FindingWarning. `progress=` takes a function (stage,
done, total), which may be called in other threads; stages are for people. check, convert, diff, link and
run take turns, whatever thread calls them.

Ctrl-C ends the functions while they read and write files. What is asked of a Job, a Run or a Path, a check
of a whole job (profile="astra-sim") and what nadi.run computes end first; then KeyboardInterrupt is raised.
"""

import functools as _functools
import html as _html
import json as _json
import os as _os
import pathlib as _pathlib
import sys as _sys
import warnings as _warnings

import numpy as _numpy

from . import _nadi
from ._nadi import Error, __version__

__all__ = ["Error", "FindingWarning", "Graph", "Job", "Path", "Run", "Table", "Texts", "check",
           "compare_traces", "convert", "diff", "events", "link", "open", "ops_diff", "profile",
           "read_graph", "replay", "run", "visualize_counts_diff", "visualize_duration_diff"]


class FindingWarning(UserWarning):
    """What nadi found beside its work: its kind, how often, and the first place. `nadi help findings` says
    what each kind means."""


def _warn(texts):
    level, frame = 2, _sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        level, frame = level + 1, frame.f_back
    for text in texts:
        _warnings.warn(text, FindingWarning, level)


def _error(code, where, what, remedy="", **more):
    error = Error(f"{where}: {what}" + (f". {remedy}" if remedy else ""))
    vars(error).update(code=code, where=where, what=what, remedy=remedy, **more)
    return error


class Texts:
    """A column of texts: `codes`, an array of places in `names`, a list of the texts there are."""

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
        """An array that is true where the text is `text`, or that of another column there."""
        if not isinstance(text, str):
            return _numpy.asarray(self) == _numpy.asarray(text)
        codes = [code for code, name in enumerate(self.names) if name == text]
        return _numpy.isin(self.codes, codes)

    def __ne__(self, text):
        """An array that is true where the text is another one."""
        return ~(self == text)

    def tolist(self):
        """The text of each row."""
        return list(self)

    def __array__(self, dtype=None, copy=None):
        return _numpy.array(self.names, dtype=object)[self.codes].astype(dtype or object)

    def __repr__(self):
        return f"Texts({list(self[:10])}{', …' if len(self) > 10 else ''})"

    def used(self):
        """The same without names that no row has."""
        is_used = _numpy.zeros(len(self.names), dtype=bool)
        is_used[self.codes] = True
        places = _numpy.cumsum(is_used, dtype=_numpy.int32) - 1
        names = [self.names[code] for code in _numpy.flatnonzero(is_used)]
        return Texts(places[self.codes], names)

    def __reduce__(self):
        used = self.used()
        return Texts, (used.codes, used.names)

    @staticmethod
    def of(values):
        """Makes a column of a list of texts."""
        codes = {}
        rows = [codes.setdefault(value, len(codes)) for value in values]
        return Texts(_numpy.array(rows, dtype=_numpy.int32), list(codes))


class Table:
    """Columns of one length, by name: NumPy arrays, masked where rows may have no value, and Texts.

    `table["name"]` is a column. to_pandas() makes a DataFrame; polars, pyarrow and DuckDB take a table as it
    is. Table({"a": array, "b": ["x", "y"]}) makes one."""

    def __init__(self, columns):
        self._columns = {name: _column(name, values) for name, values in dict(columns).items()}
        lengths = {name: len(values) for name, values in self._columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of a table have one length, and not {lengths}")

    @staticmethod
    def _of(made):
        """Makes a table of the module's columns: values, texts or None, which have a value or None."""
        table = Table({})
        for name, (values, names, is_known) in made.items():
            if names is not None:
                values = Texts(values, names)
            elif is_known is not None:
                values = _numpy.ma.array(values, mask=~is_known)
            table._columns[name] = values
        return table

    @property
    def columns(self):
        """The columns' names."""
        return list(self._columns)

    def keys(self):
        """The columns' names: dict(table) has its columns."""
        return self.columns

    def __len__(self):
        return len(next(iter(self._columns.values()), ()))

    def __getitem__(self, key):
        """A column by its name; a row as a dict by its number; a table of several columns by the list
        of their names, or of the rows of a slice, a mask or a list of numbers."""
        if isinstance(key, str):
            if key not in self._columns:
                raise KeyError(f"no column {key!r}: there are {', '.join(self._columns)}")
            return self._columns[key]
        if isinstance(key, (int, _numpy.integer)) and not isinstance(key, bool):
            return self[[key]].rows()[0]
        are_names = isinstance(key, list) and key and all(isinstance(one, str) for one in key)
        part = Table({})
        part._columns = ({name: self[name] for name in key} if are_names else
                         {name: values[key] for name, values in self._columns.items()})
        return part

    def __iter__(self):
        return iter(self._columns)

    def head(self, rows=5):
        """The first rows."""
        return self[:rows]

    def rows(self):
        """A dict of each row."""
        lists = [values.tolist() for values in self._columns.values()]
        return [dict(zip(self._columns, row)) for row in zip(*lists)]

    def to_pandas(self, copy=True):
        """A DataFrame; texts are categories, whole numbers that rows may lack are pandas' Int64. Without
        `copy` its numbers look into the table, and cannot be written to where they are nadi's own."""
        import pandas
        frame = {}
        for name, values in self._columns.items():
            if isinstance(values, Texts):
                used = values.used()
                values = pandas.Categorical.from_codes(used.codes, used.names)
            elif isinstance(values, _numpy.ma.MaskedArray):
                mask = _numpy.ma.getmaskarray(values)
                kind = {"i": pandas.arrays.IntegerArray, "u": pandas.arrays.IntegerArray,
                        "b": pandas.arrays.BooleanArray}.get(values.dtype.kind)
                values = kind(values.data, mask) if kind else values.filled(_numpy.nan)
            frame[name] = values
        return pandas.DataFrame(frame, copy=copy)

    def __arrow_c_stream__(self, requested_schema=None):
        """https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html"""
        columns = []
        for name, values in self._columns.items():
            names = is_known = None
            if isinstance(values, Texts):
                texts = values.used() if len(values.names) > len(values) else values
                values, names = texts.codes, texts.names
            elif isinstance(values, _numpy.ma.MaskedArray):
                values, is_known = values.data, ~_numpy.ma.getmaskarray(values)
            columns.append((name, values, names, is_known))
        return _nadi.arrow_stream(columns)

    def _shown(self):
        return [list(map(_cell, row.values())) for row in self.head(20).rows()]

    def _repr_html_(self):
        rows = [f"<td>{'</td><td>'.join(map(_html.escape, row))}</td>" for row in self._shown()]
        head = f"<th>{'</th><th>'.join(map(_html.escape, self.columns))}</th>"
        return (f"<table><tr>{'</tr><tr>'.join([head, *rows])}</tr></table>"
                f"<p>{len(self)} rows</p>")

    def __repr__(self):
        cells = [self.columns, *self._shown()]
        widths = [max(map(len, column)) for column in zip(*cells)]
        places = [f"{'<' if isinstance(values, Texts) else '>'}{width}"
                  for values, width in zip(self._columns.values(), widths)]
        lines = ["  ".join(map(format, row, places)).rstrip() for row in cells]
        more = len(self) + 1 - len(cells)
        if more > 0 or len(self) == 0:
            lines.append(f"and {more} more rows" if more > 0 else "0 rows")
        return "\n".join(lines)


def _column(name, values):
    """Texts, or an array that the module can take."""
    if not isinstance(name, str):
        raise ValueError(f"{name!r} is no name of a column")
    if isinstance(values, Texts):
        return values
    array = _numpy.asanyarray(values)
    if array.ndim != 1:
        raise ValueError(f"column {name!r} has {array.ndim} dimensions, and not one")
    if all(isinstance(value, str) for value in (array if array.dtype.kind in "UO" else [None])):
        return Texts.of(array.tolist())
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _cell(value):
    digits = ".6g" if isinstance(value, float) and abs(value) < 1e6 else ".3f"
    text = format(value, digits) if isinstance(value, float) else "" if value is None else str(value)
    return text if len(text) <= 60 else text[:57] + "…"


def _whole(value):
    """A whole number that a table holds as a real one: 10.0 is 10."""
    is_real = isinstance(value, (float, _numpy.floating))
    return int(value) if is_real and float(value).is_integer() else value


def _rank(rank):
    if not isinstance(_whole(rank), (int, _numpy.integer)):
        raise _error("usage", f"rank {rank!r}", "is no whole number")
    return int(_whole(rank))


def _steps(steps):
    """3, "3" or "3-5" as the tool takes it; None = all."""
    return None if steps is None else str(_whole(steps))


class Graph:
    """The graph of one rank: tables that look into nadi's memory. Nodes stand in ascending order of id.
    `parent`, `source`, `target` and `node` are rows of `nodes`, `lane` is a row of `lanes`, -1 is none. Times
    are ns from the begin of the trace."""

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

    def __repr__(self):
        return f"<nadi.Graph {self.name}: {len(self)} nodes>"

    @property
    def base_time_ns(self):
        """Unix time of the begin of the trace; None where it is not recorded."""
        return self._graph.base_time_ns

    @_functools.cached_property
    def nodes(self):
        """A row per node: id, name, type, kind, start_ns (where starts are recorded), duration_ns, lane,
        step, parent, shapes, …"""
        return Table._of(self._graph.nodes())

    @_functools.cached_property
    def edges(self):
        """A row per edge: source, target, kind (data or control), evidence (why it is there), inferred:
        "recorded", or what the edge is inferred from: "pattern", "place" or "timing"."""
        return Table._of(self._graph.edges())

    @_functools.cached_property
    def communications(self):
        """A row per communication: node, collective (empty of messages), bytes, src, dst, tag, seq, group,
        dtype."""
        return Table._of(self._graph.communications())

    @_functools.cached_property
    def lanes(self):
        """A row per host thread and device stream: name, tid, device, stream."""
        return Table._of(self._graph.lanes())

    def to_networkx(self):
        """A networkx.DiGraph: nodes are rows with the attributes of `nodes`, edges those of `edges`."""
        import networkx
        made = networkx.DiGraph(name=self.name, rank=self.rank)
        made.add_nodes_from(enumerate(self.nodes.rows()))
        for edge in self.edges.rows():
            made.add_edge(edge.pop("source"), edge.pop("target"), **edge)
        return made


class Path:
    """The critical path of a run, or of steps of it."""

    def __init__(self, path):
        self._path = path

    @_functools.cached_property
    def pieces(self):
        """A row per stretch, in the order of time: rank, node (its row there), step, begin_ns,
        duration_ns, kind, name."""
        return Table._of(self._path.pieces())

    @property
    def ms(self):
        """How long it is."""
        return self._path.length_ns / 1e6

    def by(self, what):
        """Its time summed by "op" (kind and name), "kind", "rank" or "step": pieces, ms, share of the path,
        longest first."""
        return Table._of(self._path.by(what))

    def __repr__(self):
        return f"<nadi.Path of {self.ms:.3f} ms, {len(self._path)} pieces>"


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
        """From the first node to the last, delays not counted."""
        return self.ns / 1e6

    def times(self, rank):
        """start_ns and end_ns of each node of the rank's graph, in the job's clock."""
        return Table._of(self._job.times(_rank(rank), self._run))

    def critical_path(self, step=None):
        """What the end had to wait for; the pieces of `step` alone."""
        return Path(self._job.path(self._run, _steps(step)))

    def __repr__(self):
        return f"<nadi.Run of {self.ms:.3f} ms>"


class Job:
    """The ranks of one job; nadi.open() makes it. Times of tables are ms. `step` is 3, or "3-5"; None = all."""

    def __init__(self, *inputs, steps=None, progress=None):
        self._job = _nadi.load_job(_paths(inputs), _steps(steps), progress)
        self._profiles = {}

    @property
    def ranks(self):
        """The ranks that there are."""
        return self._job.ranks

    def __repr__(self):
        ranks = ", ".join(map(str, self.ranks[:8])) + (", …" if len(self.ranks) > 8 else "")
        return f"<nadi.Job of {'rank' if len(self.ranks) == 1 else 'ranks'} {ranks}>"

    def graph(self, rank=None):
        """The graph of a rank; None = the first."""
        return Graph(self._job.graph(self.ranks[0] if rank is None else _rank(rank)))

    def profile(self, peak_tflops=0, memory_gb_per_s=0, steps=None):
        """All that `nadi profile --output x.json` writes, as dicts and lists; times are ns."""
        roofline = _nadi.Roofline(peak_tflops or 0, memory_gb_per_s or 0)
        return _json.loads(self._profile(steps).json(roofline))

    def _profile(self, steps):
        asked = _steps(steps)
        if asked not in self._profiles:
            self._profiles[asked] = self._job.profile(asked)
        return self._profiles[asked]

    def _table(self, name, steps=None, peak_tflops=0, memory_gb_per_s=0):
        roofline = _nadi.Roofline(peak_tflops or 0, memory_gb_per_s or 0)
        return Table._of(self._profile(steps).table(name, roofline))

    def steps(self):
        """A row per step, rank and device: its length, computation, communication and copies that nothing
        hides (exposed_…), and idle time by cause."""
        return self._table("steps")

    def devices(self):
        """A row per rank and device, with the columns of steps(), for the whole trace."""
        return self._table("devices")

    def kernels(self, step=None, peak_tflops=0, memory_gb_per_s=0):
        """A row per kernel name, the longest sum first: family, op that launched most, count, TFLOP/s, …"""
        return self._table("kernels", step, peak_tflops, memory_gb_per_s)

    def families(self, step=None):
        """Kernels summed by what they do: gemm, attention, elementwise, …"""
        return self._table("families", step)

    def ops(self, step=None):
        """A row per op, the longest own time first: count, own, host and inclusive time, device time that
        was launched below it."""
        return self._table("ops", step)

    def call_paths(self, step=None):
        """A row per call path, with the columns of ops(): `parent` is the row of the path above, masked
        where there is none."""
        return self._table("call_paths", step)

    def idle(self, step=None):
        """Why devices were idle, and at which place of the program, longest first."""
        return self._table("idle", step)

    def collectives(self, step=None):
        """A row per collective: kind, group, bytes, the rank that came last, how long all waited, transfer
        time, bandwidth."""
        return self._table("collectives", step)

    def collective_members(self):
        """A row per rank of each collective: start, end, waiting. `collective` is a row of collectives()."""
        return self._table("collective_members")

    def waiting(self):
        """A row per rank: how often it came last, how long others waited for it, and it for others."""
        return self._table("waiting")

    def findings(self):
        """What looks wrong, worst first, and what to do."""
        return self._table("findings")

    def measured(self):
        """The job as recorded."""
        return Run(self._job, self._job.measured())

    def path_steps(self):
        """A row per step of the recorded critical path: its time by kind, and its longest part."""
        return self._table("path_steps")

    def replay(self, scale=(), lanes="all", host_lanes="all", inferred="with", **options):
        """The job run again, as `nadi replay` does. scale: {"kernel:gemm": 0.5}, or "kernel:gemm=0.5", or a
        list of these. lanes: "all" or "none". host_lanes: "all", or 1: the host threads of a rank share one.
        inferred: "with" or "without" inferred edges. nadi.run("replay", …) writes reports, timelines and
        pages."""
        _refuse("replay", options)
        scale = [text for _, text in _given({"scale": scale})]
        return Run(self._job, self._job.replay(scale, lanes, str(host_lanes), inferred))

    def what_if(self, scale, **options):
        """replay() with scales: what if gemms took half as long?"""
        return self.replay(scale, **options)

    def critical_path(self, step=None):
        """What the recorded end had to wait for, over all ranks; the pieces of `step` alone."""
        return self.measured().critical_path(step)


def _listed(value):
    """One path, text or number, or each of several."""
    is_one = isinstance(value, (str, bytes)) or not hasattr(value, "__iter__")
    return [value] if is_one else list(value)


def _paths(paths):
    flat = [one for path in paths for one in _listed(path)]
    if not flat:
        raise TypeError("no trace, graph or folder is given")
    return _bytes(flat)


def open(*paths, steps=None, progress=None):
    """Opens the job of traces, of graphs, or of folders or archives (tar, zip) of them, as Job. steps:
    "3-5", of traces alone."""
    job = Job(*paths, steps=steps, progress=progress)
    _warn(job._job.warnings)
    return job


def profile(*paths, steps=None, peak_tflops=0, memory_gb_per_s=0, progress=None, **options):
    """All that `nadi profile --output x.json` writes, as dicts and lists."""
    _refuse("profile", options)
    return open(*paths, progress=progress).profile(peak_tflops, memory_gb_per_s, steps)


def replay(*paths, steps=None, progress=None, **options):
    """The job run again, with the options of Job.replay()."""
    return open(*paths, steps=steps, progress=progress).replay(**options)


def read_graph(path, shapes=True, progress=None):
    """Reads a Chakra graph (.et), packed or not, as Graph; shapes=False leaves out columns of shapes."""
    return Graph(_nadi.read_graph(_os.fsencode(path), shapes, progress))


def check(*graphs, progress=None, **options):
    """`nadi check`: a row per rule that a graph breaks, errors first; no row = all are good. `fails` is true of
    errors, with strict=True of warnings, too. profile="astra-sim" checks all graphs as one job; then `graph`
    is empty."""
    words = ["check", *_paths(graphs), *_words(options)]
    return Table._of(_nadi.check(_bytes(words), progress))


def _refuse(verb, options):
    """Options of the tool that have no effect on what a function returns."""
    for name, value in options.items():
        if value not in (None, False):
            raise _error("usage", f"nadi.{verb}: {name}={value!r}", "is no argument",
                         f"nadi.run({verb!r}, …) takes all options of the tool")


def _given(options):
    """Each option with its value as text, None of a flag: args=["a", "b"] is twice args, ranks=[0, 1]
    is "0,1"."""
    for name, value in options.items():
        if isinstance(value, dict):
            value = [f"{key}={_whole(one)}" for key, one in value.items()]
        values = [_whole(one) for one in _listed(value)]
        if len(values) > 1 and all(isinstance(one, (int, _numpy.integer)) for one in values):
            values = [",".join(map(str, values))]
        for one in values:
            if one is not None and one is not False:
                yield name.rstrip("_").replace("_", "-"), None if one is True else _text(one)


def _words(options):
    """Options as words of the tool."""
    for name, text in _given(options):
        yield f"--{name}={text}" if text else f"--{name}"
        if text == "":
            yield text


def _text(value):
    is_path = isinstance(value, bytes) or hasattr(value, "__fspath__")
    return _os.fsdecode(value) if is_path else str(value)


def _bytes(texts):
    """As the module takes them, for names of files may be no UTF-8."""
    return [_os.fsencode(text) for text in texts]


def _print(text):
    """Bytes, where the program prints."""
    buffer = getattr(_sys.stdout, "buffer", None)
    if buffer is None:
        _sys.stdout.write(text.decode(errors="backslashreplace"))
    else:
        _sys.stdout.flush()
        buffer.write(text)
        buffer.flush()


def run(verb, *arguments, progress=None, **options):
    """Runs any verb of the tool, which prints to sys.stdout; returns its exit code: 0, or another where a
    check or some of the ranks failed."""
    return _nadi.run(_bytes([verb, *map(_text, arguments), *_words(options)]), progress, _print)


def _report(verb, traces, progress, options):
    """What a verb writes as its report, and where it failed the errors in it."""
    file = options.pop("report", None)
    written = []
    words = _words({"quiet": not options.get("verbose"), **options, "report": file or "-"})
    paths = _paths(traces) if traces else []
    code = _nadi.run(_bytes([verb, *paths, *words]), progress, written.append)
    text = _pathlib.Path(_os.fsdecode(file)).read_bytes() if file not in (None, "-") else b"".join(written)
    try:
        report = _json.loads(text)
    except ValueError:
        raise _error("usage", f"nadi {verb}", "writes no report, as it is called",
                     f"Call nadi.run({verb!r}, …)") from None
    warnings, errors = _nadi.troubles_of(text)
    _warn(warnings)
    return report, errors if code != 0 else None


def convert(*traces, progress=None, **options):
    """`nadi convert`: writes graphs, by default named after the trace, in the current folder; returns
    what --report writes, as dicts and lists. target="astra-sim" makes a job for a simulator. Where
    ranks or jobs failed it raises Error with this `report`; the others are written."""
    report, failed = _report("convert", traces, progress, options)
    if failed is None:
        return report
    raise _error("input", "nadi convert", "; ".join(failed[:3]) + f" ({len(failed)} failed)",
                 "What was written stands in the report of this error", report=report)


def link(*traces, output=None, progress=None, **options):
    """`nadi link`: writes the linked JSON that MLCommons' converter reads, by default named after the
    trace, in the current folder; returns its path."""
    report, _ = _report("link", traces, progress, {**options, "output": output})
    return report["output"] if output is None else output


def events(*paths, progress=None, **options):
    """The events of device traces, as `nadi events` writes them: µs (to 0.25 µs where from 1970), -1 is none.
    args=["bandwidth"], add_arg=…, iterations="3-5", round_us=True, config="settings.yml", …"""
    config = options.pop("config", None)
    settings = {}
    for name, text in _given(options):
        settings.setdefault(name, []).append(_os.fsencode("true" if text is None else text))
    columns, warnings = _nadi.events(_paths(paths), settings,
                                     _os.fsencode("" if config is None else config), progress)
    _warn(warnings)
    return Table._of(columns)


def diff(control, test, progress=None, **options):
    """`nadi diff`: test minus control, a row per name, or as by="kernel-family" groups them; times are µs,
    `mean_own` those without what a call calls. Where a condition of fail_if holds it raises Error with the
    whole `report`. nadi.run("diff", …) writes files, and all else that is compared."""
    return Table._of(_compare(control, test, progress, options).rows())


def _compare(control, test, progress, options):
    sides = {"control": _paths([control]), "test": _paths([test])}
    compared = _nadi.compare(_bytes(["diff", *_words({**options, **sides})]), progress)
    _warn(compared.warnings)
    if compared.failure:
        raise _error("check", "nadi diff", compared.failure, report=_json.loads(compared.json()))
    return compared


# HTA's names (hta.trace_diff.TraceDiff), with its arguments and answers.

def _hta_diff(control, test, control_rank, test_rank, control_iteration, test_iteration,
              device_type, by="name"):
    devices = {"ALL": "all", "CPU": "host", "GPU": "device"}
    device = str(getattr(device_type, "name", device_type)).upper()
    if device not in devices:
        raise _error("usage", f"device_type={device_type!r}", "is none", "There are ALL, CPU, GPU")
    options = {"control_ranks": control_rank, "test_ranks": test_rank,
               "control_iterations": control_iteration, "test_iterations": test_iteration}
    return _compare(control, test, None,
                    {"device": devices[device], "round_us": True, "by": by, **options})


def compare_traces(control, test, control_rank=None, test_rank=None, control_iteration=None,
                   test_iteration=None, device_type="ALL", use_short_name=False):
    """HTA's TraceDiff.compare_traces() of paths: a DataFrame by name with HTA's columns, µs."""
    import pandas
    compared = _hta_diff(control, test, control_rank, test_rank, control_iteration, test_iteration,
                         device_type, "short-name" if use_short_name else "name")
    table = Table._of(compared.hta_rows())
    frame = pandas.DataFrame({name: _numpy.asarray(table[name]) for name in table})
    return frame.set_index(table.columns[0])


def ops_diff(control, test, control_rank=None, test_rank=None, control_iteration=None,
             test_iteration=None, device_type="ALL"):
    """HTA's TraceDiff.ops_diff() of paths: lists of names, by "added", "deleted", "increased", "decreased",
    "unchanged"."""
    rows = Table._of(_hta_diff(control, test, control_rank, test_rank, control_iteration,
                               test_iteration, device_type).rows())
    return {group: rows["name"][rows["change"] == group].tolist() for group in rows["change"].names}


def _bars(frame, title, of_run, difference, show_image, export_image_path):
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(10, min(2 + 0.4 * len(frame), 200)))  # inches
    axes.set_title(title)
    columns = [f"Control_{of_run}", f"Test_{of_run}", difference]
    if len(frame) > 0:
        bars = frame[columns].set_axis(["Control", "Test", "Difference"], axis=1)
        bars.set_axis(list(map(_cell, frame.index)), axis=0).plot.barh(ax=axes)
        axes.invert_yaxis()
    figure.tight_layout()
    if export_image_path is not None:
        figure.savefig(export_image_path)
    if show_image:
        pyplot.show()
    pyplot.close(figure)


def visualize_counts_diff(df, show_image=True, export_image_path=None):
    """HTA's bars of the counts that compare_traces() gave, drawn with matplotlib."""
    _bars(df, "Counts", "counts", "diff_counts", show_image, export_image_path)


def visualize_duration_diff(df, show_image=True, export_image_path=None):
    """HTA's bars of the durations that compare_traces() gave, µs, drawn with matplotlib."""
    _bars(df, "Durations, µs", "total_duration", "diff_duration", show_image, export_image_path)
