"""Compares what `nadi profile` says of real traces with counts over the rows of their files.

usage: profile_counts_test.py, with the tool in NADI_TOOL and the traces' folder in NADI_REAL_TRACES

A count knows only what the profiler wrote: begins, ends, names, streams, correlations, shapes. The one
exception is the critical path: it is walked through the graph that `nadi convert` writes.

Rows do not tell, and no test compares: at which op the host was late; unrecorded work apart from what
is unexplained; own time of ops with calls that may block; what the critical path waited for.
"""
import ast
import bisect
import collections
import functools
import gc
import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

TOOL = os.environ.get("NADI_TOOL", "nadi")
TRACES = pathlib.Path(os.environ.get("NADI_REAL_TRACES", "/none"))
CONTROL, TEST, ROCM = "trace-diff/control", "trace-diff/test", "rocm/device"
RECOMMENDER, RESNET, CUDA_GRAPH = "recommender/device", "resnet-2gpu/device", "cuda-graph/device"
EVENTS, LINEAR, NO_RECORDS = "events/device", "linear/device", "wait-without-record/device"
DLRM = [f"dlrm-8gpu/device.{rank}" for rank in range(4)]
US = 1000  # ns
KINDS = {"kernel": "computation", "mtia_ccp_events": "computation", "gpu_memcpy": "copy",
         "gpu_memset": "copy", "cuda_runtime": "call", "cuda_driver": "call", "mtia_runtime": "call",
         "cpu_op": "op", "user_annotation": "annotation"}  # by an event's category
PARTS = ("length_ns", "computation_ns", "communication_ns", "exposed_communication_ns", "copies_ns",
         "exposed_copies_ns", "idle_ns")
gc.disable()  # traces are read once and kept: half of the time

Event = collections.namedtuple("Event", "kind name start end lane args")
Trace = collections.namedtuple("Trace", "rows calls host call_of")
Node = collections.namedtuple("Node", "name start end kind sources")


def ns_of(micros):
    """Whole microseconds by themselves: the product would lose digits of absolute times."""
    return math.floor(micros) * US + round((micros - math.floor(micros)) * US)


def read_json(name):
    return json.loads(gzip.decompress((TRACES / f"{name}.json.gz").read_bytes()))


@functools.lru_cache(maxsize=None)
def read_trace(name):
    """Device rows by begin, runtime calls, ops and annotations, and the call of each correlation."""
    trace = Trace([], [], [], {})
    for event in read_json(name)["traceEvents"]:
        kind, args = KINDS.get(event.get("cat")), event.get("args", {})
        if event.get("ph") != "X" or not kind:
            continue
        if kind == "computation":  # MTIA's copies are of its kernels' category
            kind = "communication" if "nccl" in event["name"] else kind
            kind = "copy" if event["name"] == "dma_request" else kind
        start = ns_of(event["ts"])
        kept = Event(kind, event["name"], start, start + ns_of(event["dur"]), event["tid"], args)
        place = {"call": trace.calls, "op": trace.host, "annotation": trace.host}
        place.get(kind, trace.rows).append(kept)
        if kind == "call":
            trace.call_of.setdefault(args.get("correlation"), kept)
    trace.rows.sort(key=lambda row: row.start)
    return trace


def call_of(trace, row):
    return trace.call_of.get(row.args.get("correlation", -1))


@functools.lru_cache(maxsize=None)
def profile(name, *options):
    """Of a trace, or of the folder of a job's."""
    path = TRACES / name if (TRACES / name).is_dir() else TRACES / f"{name}.json.gz"
    with tempfile.TemporaryDirectory(prefix="nadi_test_") as folder:
        output = pathlib.Path(folder) / "profile.json"
        subprocess.run([TOOL, "profile", "--quiet", path, *options, "--output", output], check=True,
                       stdout=subprocess.DEVNULL)
        return json.loads(output.read_text())


def collectives_of(name):
    return [row for row in read_trace(name).rows if row.kind == "communication"]


def stretches_of(rows, waits=()):
    """Begin, end and how many rows of each work run, between moments at which any begins or ends. waits:
    begins and ends of the time in which a row that communicates waits for another rank."""
    changes = collections.defaultdict(collections.Counter)
    for kind, begin, end in [(row.kind, row.start, row.end) for row in rows] + [
            ("waiting", *wait) for wait in waits]:
        changes[begin][kind] += 1
        changes[end][kind] -= 1
    running, stretches, since = collections.Counter(), [], min(changes)
    for moment in sorted(changes):
        stretches.append((since, moment, dict(running)))
        for kind, change in changes[moment].items():
            running[kind] += change
        since = moment
    return stretches


def split_of(stretches, begin=0, end=math.inf):
    """Where the time between two moments goes, by the profile's names; hidden is what is not exposed."""
    split = collections.Counter()
    for since, until, running in stretches:
        ns = max(min(until, end) - max(since, begin), 0)
        computes, communicates, copies, waits = (
            running.get(kind, 0) for kind in ("computation", "communication", "copy", "waiting"))
        split["length_ns"] += ns
        split["computation_ns"] += ns * (computes > 0)
        split["communication_ns"] += ns * (communicates > 0)
        split["copies_ns"] += ns * (copies > 0)
        split["idle_ns"] += ns * (computes + communicates + copies == 0)
        split["exposed_copies_ns"] += ns * (computes + communicates == 0 < copies)
        split["exposed_communication_ns"] += ns * (computes == 0 < communicates)
        split["exposed_waiting_ns"] += ns * (computes == 0 < communicates == waits)
        split["communication that copies alone hide"] += ns * (computes == 0 < communicates and copies > 0)
    return split


def rows_of_steps(trace):
    """Rows and the number of the step in which they were launched."""
    spans = sorted((event.start, event.end, int(event.name.split("#")[1])) for event in trace.host
                   if event.name.startswith("ProfilerStep#"))
    for row in trace.rows:
        call = call_of(trace, row)
        place = bisect.bisect(spans, (call.start, math.inf)) - 1 if call else -1
        if place >= 0 and call.start < spans[place][1]:
            yield row, spans[place][2]


def step_begins(trace):
    """By step: the begin of its first row on the stream that computes most."""
    computing, begins = collections.Counter(), {}
    for row in trace.rows:
        computing[row.lane] += (row.end - row.start) * (row.kind == "computation")
    for row, step in rows_of_steps(trace):
        if row.lane == computing.most_common(1)[0][0]:
            begins.setdefault(step, row.start)
    return begins


def launch_times(trace):
    """By correlation. A call of up to 20 us launches as it begins. A longer one waits for something first:
    it launches at its end at the latest, and as long before its row begins as a short one of its name
    did at least that found its stream idle. Times in whole microseconds may seem 2 us too long."""
    first, least, busy_until, times = {}, {}, {}, {}
    most = 20 * US if any(call.start % US for call in trace.calls) else 22 * US
    for row in trace.rows:
        if call := call_of(trace, row):
            is_first = first.setdefault(row.args["correlation"], row) is row
            is_idle = busy_until.get(row.lane, 0) <= call.start <= row.start
            if is_first and is_idle and call.end - call.start <= 20 * US:
                for name in (call.name, "any"):
                    least[name] = min(least.get(name, math.inf), row.start - call.start)
        busy_until[row.lane] = max(busy_until.get(row.lane, 0), row.end)
    for correlation, row in first.items():
        call = times[correlation] = trace.call_of[correlation]
        latest = row.start - least.get(call.name, least.get("any", 0))
        waits = call.end - call.start > most and "Pageable" not in row.name  # such copies wait afterwards
        times[correlation] = max(call.start, min(call.end, latest)) if waits else call.start
    return times


def idle_of(trace):
    """Times until a row ends them. The host is late until it launches the row; it was blocked for that
    part of it for which a call had waited until the device was done: the last one before the launch that
    began before the time and ended in it. What is left is latency, up to 20 us."""
    times, idle, busy_until = launch_times(trace), collections.Counter(), trace.rows[0].start
    blocking = [call for call in trace.calls if re.search("Synchronize|MemcpyAsync", call.name)]
    for row in trace.rows:
        gap, launch = row.start - busy_until, times.get(row.args.get("correlation"), 0)
        if gap > 0:
            late = min(max(launch - busy_until, 0), gap)
            idle["late"] += late
            idle["latency"] += min(gap - late, 20 * US)
            idle["else"] += max(gap - late - 20 * US, 0)
            before = [call for call in blocking if late and call.lane == call_of(trace, row).lane
                      and call.start < busy_until + US and busy_until < call.end <= launch]
            last = max(before, key=lambda call: call.start, default=row._replace(start=busy_until))
            idle["blocked"] += min(busy_until - last.start, late)
        busy_until = max(busy_until, row.end)
    return idle


def with_callers(trace):
    """Each op, annotation and call with those ops and annotations that last around it, outermost first."""
    around = collections.defaultdict(list)
    for event in sorted(trace.host + trace.calls,
                        key=lambda event: (event.start, -event.end, event.kind == "call")):
        callers = around[event.lane]
        while callers and callers[-1].end <= event.start and event.end > callers[-1].start:
            callers.pop()
        yield event, tuple(callers)
        if event.kind != "call":
            callers.append(event)


def name_of(event):
    return "ProfilerStep" if event.name.startswith("ProfilerStep#") else event.name


def ops_of(trace):
    """Sums by name; of an op inside another of its name only count and own time. Ops in which a call may
    block the thread are counted as such."""
    sums, of_call = collections.defaultdict(collections.Counter), {}
    for event, callers in with_callers(trace):
        if event.kind != "call":
            ns, of_name = event.end - event.start, sums[name_of(event)]
            of_name.update(count=1, own_ns=ns, may_block=int(event.kind == "annotation"),
                           inclusive_ns=ns * (name_of(event) not in map(name_of, callers)))
            if callers:
                sums[name_of(callers[-1])]["own_ns"] -= ns
        else:
            of_call[id(event)] = set(map(name_of, callers))
            if callers and re.search("Synchronize|Memcpy|Malloc|HostAlloc|Free", event.name):
                sums[name_of(callers[-1])]["may_block"] += 1
    for row in trace.rows:
        for name in of_call.get(id(call_of(trace, row)), ()):
            sums[name].update(launched=1, device_ns=row.end - row.start)
    return sums


def operations_of(name, shapes, outputs=()):
    """A multiply-add counts two, and a bias does not; a gradient that nobody wants has no sizes."""
    if name in ("aten::mm", "aten::bmm") and shapes:
        return 2 * math.prod(shapes[0]) * shapes[1][-1]
    if name == "aten::addmm" and shapes:
        return 2 * math.prod(shapes[1]) * shapes[2][1]
    if name in ("aten::cudnn_convolution", "aten::miopen_convolution") and outputs:
        # weights: outputs, inputs, height, width
        return 2 * math.prod(outputs[0]) * math.prod(shapes[1][1:])
    if name == "aten::convolution_backward" and outputs:
        return 2 * math.prod(shapes[0]) * math.prod(shapes[2][1:]) * sum(map(bool, outputs[:2]))
    return 0


def outputs_of_convolution(op):
    """The sizes that follow from those of inputs, padding, stride and dilation; none of other ops."""
    shapes, values = op.args.get("Input Dims"), op.args.get("Concrete Inputs")
    if op.name == "aten::convolution_backward":
        wanted = ast.literal_eval(values[10])
        return [shape if is_wanted else [] for shape, is_wanted in zip(shapes[1:3], wanted)]
    if op.name != "aten::miopen_convolution":
        return ()
    settings = zip(*(ast.literal_eval(value) for value in values[3:6]))  # padding, stride, dilation
    sizes = [(size + 2 * padding - dilation * (kernel - 1) - 1) // stride + 1
             for size, kernel, (padding, stride, dilation) in zip(shapes[0][2:], shapes[1][2:], settings)]
    return [[shapes[0][0], shapes[1][0], *sizes]]


def bytes_of(values):
    """Of a host trace's tensor [id, storage, offset, elements, bytes of one, device], or of a list."""
    return sum(map(bytes_of, values)) if isinstance(values[0], list) else values[3] * values[4]


def read_graph(*traces_of_ranks):
    """The nodes, by rank and id, of the graphs that `nadi convert` makes of each rank's traces."""
    nodes = {}
    for rank, traces in enumerate(traces_of_ranks):
        with tempfile.TemporaryDirectory(prefix="nadi_test_") as folder:
            graph = pathlib.Path(folder) / "graph.et"
            subprocess.run([TOOL, "convert", "--quiet", *(TRACES / f"{name}.json.gz" for name in traces),
                            "--output-file", graph], check=True)
            shown = json.loads(subprocess.check_output([TOOL, "show", "--quiet", graph]))
        metadata = {attr["name"]: attr for attr in shown["metadata"]["attr"]}
        base = int(metadata["base_time_ns"]["int64Val"])
        for node in shown["nodes"]:
            attrs = {attr.pop("name"): next(iter(attr.values())) for attr in node["attr"]}
            kind = ("waiting" if attrs.get("is_delay") else "communication" if "COMM" in node["type"] else
                    "host" if attrs["is_cpu_op"] else "kernel")
            start, ids = base + int(attrs["start_ns"]), node.get("dataDeps", []) + node.get("ctrlDeps", [])
            end, sources = start + int(attrs["duration_ns"]), {(rank, int(source)) for source in ids}
            nodes[rank, int(node["id"])] = Node(node["name"], start, end, kind, sources)
    return nodes


def walk_back(nodes):
    """Pieces of the critical path, the last one first: kind, name, ns. A node waited for that source
    which ended last; a collective, the n-th of all ranks, for what the last of them waited for."""
    of_rank, last = collections.defaultdict(list), {}
    for key in sorted(nodes, key=lambda key: nodes[key].start):
        if nodes[key].kind == "communication":
            of_rank[key[0]].append(key)
    for keys in zip(*of_rank.values()):
        last.update({key: max(keys, key=lambda other: (nodes[other].start, other == key)) for key in keys})
    work = [key for key in nodes if nodes[key].kind != "waiting"]
    begin, until = min(nodes[key].start for key in work), max(nodes[key].end for key in work)
    key = min(key for key in work if nodes[key].end == until)
    while key is not None:
        node, met = nodes[key], nodes[last.get(key, key)]
        source = max(met.sources, key=lambda other: (nodes[other].end, other), default=None)
        for kind, since in ((node.kind, max(node.start, met.start)),
                            ("waiting", begin if source is None else nodes[source].end)):
            since = min(max(since, begin), until)
            yield kind, node.name, until - since
            until = since
        key = source


@unittest.skipUnless(TRACES.exists(), "there are no real traces")
class ProfileOfRealTraces(unittest.TestCase):
    maxDiff = 2000

    def expect_split(self, found, counted, what):
        for part in PARTS:
            self.assertEqual(found[part], counted[part], (what, part))

    def test_splits_the_time_of_devices_and_steps_as_the_rows_tell(self):
        """A step lasts until the next one begins, the last one to the last row."""
        for name in (CONTROL, TEST, RESNET, ROCM, RECOMMENDER, *DLRM, CUDA_GRAPH, "mtia/device"):
            stretches, found = stretches_of(read_trace(name).rows), profile(name)
            self.expect_split(found["devices"][0], split_of(stretches), name)
            begins = step_begins(read_trace(name))
            self.assertEqual([step["step"] for step in found["steps"]], list(begins), name)
            for step, begin, end in zip(found["steps"], begins.values(), [*begins.values(), math.inf][1:]):
                self.expect_split(step, split_of(stretches, begin, end), (name, step["step"]))

    def test_splits_the_time_of_chosen_steps_as_hta_does(self):
        """HTA's temporal breakdown leaves out the last step of control: 61.2 % computation, 16.2 % idle.
        Where copies may hide communication 62.4 % of rocm's steps is exposed (published; here they may
        not). Chosen steps last from the first of their rows to the last, or to the next step."""
        for name, first, last, published in ((CONTROL, 1009, 1013, (61.2, 16.2)), (ROCM, 15, 16, 62.4)):
            trace, found = read_trace(name), profile(name, "--steps", f"{first}-{last}")["devices"][0]
            rows = [row for row, step in rows_of_steps(trace) if first <= step <= last]
            end = min(max(row.end for row in rows), step_begins(trace)[last + 1])
            counted = split_of(stretches_of(trace.rows), min(row.start for row in rows), end)
            self.expect_split(found, counted, name)
            exposed = found["exposed_communication_ns"] - counted["communication that copies alone hide"]
            shares = [round(100 * ns / found["length_ns"], 1)
                      for ns in (found["computation_ns"], found["idle_ns"], exposed)]
            self.assertEqual(tuple(shares[:2]) if name == CONTROL else shares[2], published)

    def test_exposes_waiting_until_the_last_rank_begins(self):
        """The n-th collectives of all ranks meet; the files of dlrm have one clock."""
        last = [max(row.start for row in rows) for rows in zip(*map(collectives_of, DLRM))]
        for name, device in zip(DLRM, profile("dlrm-8gpu")["devices"]):
            waits = [(row.start, min(row.end, begin)) for row, begin in zip(collectives_of(name), last)]
            counted = split_of(stretches_of(read_trace(name).rows, waits))
            self.assertEqual(device["exposed_waiting_ns"], counted["exposed_waiting_ns"], name)

    def test_tells_late_launches_from_latency_as_calls_and_rows_do(self):
        """The unrecorded work of recommender and events takes the latency before its rows,
        too. cudaMalloc and others that wait for the device have times of their own: their traces are left
        out of the blocked time."""
        for name in (CONTROL, TEST, RESNET, ROCM, RECOMMENDER, *DLRM, CUDA_GRAPH, LINEAR, NO_RECORDS,
                     EVENTS, "event-sync/device", "dependent-launch/device"):
            found, counted = profile(name)["devices"][0]["idle_by_cause_ns"], idle_of(read_trace(name))
            self.assertEqual(found["host"] + found["synchronisation"], counted["late"], name)
            if name not in (RECOMMENDER, EVENTS):
                self.assertEqual(found["device latency"], counted["latency"], name)
            on_path = sum(part["ns"] for part in profile(name)["path"]
                          if part["at"].startswith("unrecorded work before "))
            # The path has it also while other streams are busy; that of events goes past it.
            self.assertEqual(on_path > found["unrecorded work"] / 2, name == RECOMMENDER, name)
            rest = found["device latency"] + found["unrecorded work"] + found["unexplained"]
            self.assertEqual(rest, counted["latency"] + counted["else"], name)
            if name in (CONTROL, TEST, *DLRM):
                self.assertEqual(found["synchronisation"], counted["blocked"], name)

    def test_sums_up_ops_as_their_begins_and_ends_tell(self):
        """Own time of ops that nothing may block, where no launch waits for a full queue (test, rocm).
        Calls in no op are cut where they launch, and not compared. Left out: mtia, where annotations last
        longer than what they began in, so that what is inside of what is no tree."""
        keys = ("count", "inclusive_ns", "launched", "device_ns")
        for name in (CONTROL, TEST, RESNET, ROCM, RECOMMENDER, *DLRM, LINEAR):
            counted, ops = ops_of(read_trace(name)), {op["name"]: op for op in profile(name)["ops"]}
            self.assertEqual({op: [ops[op][key] for key in keys] for op in counted},
                             {op: [sums[key] for key in keys] for op, sums in counted.items()}, name)
            own = {op: sums["own_ns"] for op, sums in counted.items() if not sums["may_block"]}
            if name not in (TEST, ROCM):
                self.assertEqual({op: ops[op]["own_ns"] for op in own}, own, name)

    def test_gives_the_operations_of_products_to_the_longest_kernel_that_makes_them(self):
        for name in (CONTROL, TEST, RECOMMENDER, *DLRM, EVENTS):
            trace, kernels = read_trace(name), {row["name"]: row for row in profile(name)["kernels"]}
            op_of_call = {id(event): callers[-1] for event, callers in with_callers(trace) if callers}
            rows_of_op, operations, times = collections.defaultdict(list), collections.Counter(), {}
            for row in trace.rows:
                op = op_of_call.get(id(call_of(trace, row)))
                if op and row.kind == "computation" and operations_of(op.name, op.args.get("Input Dims")):
                    rows_of_op[id(op)].append((row, op))
            for rows in rows_of_op.values():
                row, op = max(rows, key=lambda pair: (kernels[pair[0].name]["family"] == "gemm",
                                                      pair[0].end - pair[0].start))
                operations[row.name] += operations_of(op.name, op.args["Input Dims"])
                times[row.name] = times.get(row.name, 0) + row.end - row.start
            found = {key: row["operations"] or 0 for key, row in kernels.items() if row["family"] == "gemm"}
            self.assertEqual(+collections.Counter(found), operations, name)
            for key, ns in times.items():
                self.assertAlmostEqual(kernels[key]["tflops_per_s"], operations[key] / ns / 1e3)

    def test_sums_up_the_operations_of_convolutions_without_outputs(self):
        trace = read_trace(ROCM)
        op_of_call = {id(event): callers[-1] for event, callers in with_callers(trace) if callers}
        ops = {id(op): op for row in trace.rows if row.kind == "computation"
               for op in [op_of_call.get(id(call_of(trace, row)))] if op}
        counted = sum(operations_of(op.name, op.args.get("Input Dims"), outputs_of_convolution(op))
                      for op in ops.values())
        self.assertEqual(sum(row["operations"] or 0 for row in profile(ROCM)["kernels"]
                             if row["family"] in ("gemm", "convolution")), counted)

    def test_sums_up_the_operations_of_convolutions_as_the_shapes_of_the_host_trace_tell(self):
        recorded = {event.args.get("Record function id") for event in read_trace(RESNET).host}
        counted = sum(operations_of(node["name"], node["inputs"]["shapes"], node["outputs"]["shapes"])
                      for node in read_json("resnet-2gpu/host")["nodes"]
                      if {attr["name"]: attr["value"] for attr in node["attrs"]}["rf_id"] in recorded)
        self.assertEqual(sum(row["operations"] or 0 for row in profile("resnet-2gpu")["kernels"]
                             if row["family"] in ("gemm", "convolution")), counted)

    def test_measures_bandwidth_from_the_last_begin_on_as_nccl_tests_does(self):
        """Left out: the bandwidths of an all-to-all in unequal parts, which nccl-tests does not know."""
        share = {"ALL_REDUCE": 2 * 7 / 8, "ALL_TO_ALL": 7 / 8}  # of 8 ranks, through the links of a ring
        nodes = sorted(read_json("dlrm-8gpu/host.0")["nodes"], key=lambda node: node["id"])
        sent = [node["inputs"] for node in nodes
                if node["name"] == "record_param_comms" and "wait" not in node["inputs"]]
        found = profile("dlrm-8gpu")["collectives"]
        self.assertEqual(len(found), len(sent))
        for row, inputs, members in zip(found, sent, zip(*map(collectives_of, DLRM))):
            moved, parts = bytes_of(inputs[0]), inputs[5]
            ns = max(member.end for member in members) - max(member.start for member in members)
            is_even = len(set(parts)) <= 1
            own = 0 if is_even else moved * parts[0] // sum(parts)
            self.assertEqual((row["bytes"], row["transfer_ns"], row["size"]), (moved - own, ns, 8))
            self.assertEqual(row["kind"], "ALL_REDUCE" if inputs[4] == "allreduce" else "ALL_TO_ALL")
            if is_even:
                self.assertAlmostEqual(row["algorithm_gb_per_s"], moved / ns)
                self.assertAlmostEqual(row["bus_gb_per_s"], moved / ns * share[row["kind"]])

    def test_has_the_critical_path_that_leads_back_through_the_graph(self):
        """The path lasts from the first begin to the last end of a row, an op or a call of a thread with
        ops. Waiting has other names in a profile, also "while NAME runs" of a kernel."""
        jobs = {name: [[name]] for name in (ROCM, RESNET, CUDA_GRAPH, "dependent-launch/device", EVENTS)}
        jobs["dlrm-8gpu"] = [[name, name.replace("device", "host")] for name in DLRM]
        for name, ranks in jobs.items():
            starts, ends, counted, shares = [], [], collections.Counter(), collections.Counter()
            for trace in (read_trace(traces[0]) for traces in ranks):
                ops = [event for event in trace.host if event.kind == "op"]
                threads = {op.lane for op in ops}
                calls = [call for call in trace.calls if call.lane in threads]
                starts += [event.start for event in trace.rows + trace.host + calls]
                ends += [event.end for event in trace.rows + ops + calls]
            found = profile(name)
            for kind, node, ns in walk_back(read_graph(*ranks)):
                counted[kind, node if kind in ("host", "kernel") else ""] += ns
            for part in found["path"]:
                is_work = part["kind"] in ("host", "kernel", "communication")
                kind = part["kind"] if is_work and not part["at"].startswith("while ") else "waiting"
                shares[kind, part["at"] if kind in ("host", "kernel") else ""] += part["ns"]
            self.assertEqual(+shares, +counted, name)
            self.assertEqual(found["path_ns"], max(ends) - min(starts), name)
            self.assertEqual(sum(shares.values()), found["path_ns"], name)
            steps = sum(sum(step["ns"].values()) for step in found["path_steps"])
            self.assertEqual(steps, found["path_ns"], name)


if __name__ == "__main__":
    unittest.main()
