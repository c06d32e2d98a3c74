"""The package nadi: says what the tool says, in NumPy's, pandas', HTA's and Arrow's forms."""

import ast
import contextlib
import csv
import gzip
import inspect
import io
import json
import math
import os
import pathlib
import pickle
import pydoc
import signal
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import unittest
import warnings

try:
    import numpy
    import pandas
except ImportError as missing:
    print(f"Passed over: {missing}. Install python3-numpy and python3-pandas.")
    sys.exit(77)

import nadi

import arrow_importer

TESTS = pathlib.Path(__file__).resolve().parents[1]
SAMPLE = TESTS / "data" / "ddp-2rank"
STEPS = TESTS / "data" / "multi-step" / "device.0.json.gz"
REAL = pathlib.Path(os.environ.get("NADI_REAL_TRACES", "/none"))
README = TESTS.parent / "converters" / "python" / "README.md"
PACKAGE = pathlib.Path(nadi.__file__).absolute().parents[1]

warnings.simplefilter("ignore", nadi.FindingWarning)


def tool(*arguments):
    done = subprocess.run([os.environ["NADI_TOOL"], "-q", *map(str, arguments)],
                          capture_output=True, text=True, check=True)
    return done.stdout


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)


class Tables(unittest.TestCase):
    table = nadi.Table({"n": numpy.arange(3),
                        "text": nadi.Texts(numpy.array([1, 0, 1]), ["b", "a", "unused"]),
                        "is": numpy.array([True, False, True]), "real": numpy.array([.5, 1, 2])})

    def test_a_column_is_an_array_or_texts(self):
        self.assertEqual(list(self.table["text"]), ["a", "b", "a"])
        self.assertEqual(self.table["text"][1], "b")
        self.assertEqual((self.table["text"] == "a").tolist(), [True, False, True])
        self.assertEqual((self.table["text"] != "a").tolist(), [False, True, False])
        self.assertEqual(self.table["text"].tolist(), ["a", "b", "a"])
        self.assertEqual(numpy.asarray(self.table["text"]).tolist(), ["a", "b", "a"])
        other = nadi.Texts.of(["a", "a", "b"])
        for same in other, numpy.asarray(other), pandas.Series(list(other)):
            self.assertEqual((self.table["text"] == same).tolist(), [True, False, False])

    def test_has_its_columns_by_name(self):
        self.assertEqual(list(self.table), ["n", "text", "is", "real"])
        self.assertIn("text", self.table)
        self.assertNotIn("none", self.table)
        self.assertEqual(list(dict(self.table)), ["n", "text", "is", "real"])
        self.assertEqual(list(self.table[["is", "n"]]), ["is", "n"])
        with self.assertRaisesRegex(KeyError, "no column 'none': there are n, text, is, real"):
            self.table["none"]

    def test_rows_are_chosen_by_slices_and_masks(self):
        self.assertEqual(self.table.head(1).rows(),
                         [{"n": 0, "text": "a", "is": True, "real": 0.5}])
        self.assertEqual(self.table[self.table["n"] > 0]["n"].tolist(), [1, 2])
        self.assertEqual(self.table[[2, 0]]["n"].tolist(), [2, 0])
        self.assertEqual(self.table[-1], {"n": 2, "text": "a", "is": True, "real": 2})

    def test_a_data_frame_has_categories_of_what_occurs(self):
        frame = self.table.to_pandas()
        self.assertEqual(frame["text"].tolist(), ["a", "b", "a"])
        self.assertEqual(sorted(frame["text"].cat.categories), ["a", "b"])
        self.assertEqual(frame["n"].sum(), 3)

    def test_a_data_frame_may_be_changed_and_the_table_stays(self):
        numbers = numpy.arange(3)
        numbers.setflags(write=False)
        frame = nadi.Table({"n": numbers}).to_pandas()
        frame.loc[0, "n"] = 7
        frame["n"] *= 2
        self.assertEqual(frame["n"].tolist(), [14, 2, 4])
        self.assertEqual(numbers.tolist(), [0, 1, 2])
        view = nadi.Table({"n": numbers}).to_pandas(copy=False)
        self.assertTrue(numpy.shares_memory(view["n"].to_numpy(), numbers))

    def test_columns_of_unequal_length_are_refused(self):
        with self.assertRaisesRegex(ValueError, "one length, and not {'a': 5000000, 'b': 1}"):
            nadi.Table({"a": numpy.zeros(5_000_000), "b": numpy.zeros(1)})
        with self.assertRaisesRegex(ValueError, "'a' has 2 dimensions"):
            nadi.Table({"a": numpy.zeros((2, 2))})
        for codes in ([0, 2], [-1, 0]):
            with self.assertRaisesRegex(nadi.Error, "a: has a code without a text"):
                nadi.Table({"a": nadi.Texts(numpy.array(codes), ["x", "y"])}).__arrow_c_stream__()
        with self.assertRaisesRegex(ValueError, "1 is no name"):
            nadi.Table({1: [2]})

    def test_arrow_takes_any_array_or_says_which_it_does_not(self):
        table = nadi.Table({"big": numpy.array([1, 2, 3], dtype=">i4"), "text": ["x", "y", "x"],
                            "each": numpy.arange(6)[::2]})
        self.assertEqual(arrow_importer.read(table),
                         {"big": [1, 2, 3], "text": ["x", "y", "x"], "each": [0, 2, 4]})
        self.assertIsInstance(table["text"], nadi.Texts)
        with self.assertRaisesRegex(nadi.Error, "at: is of datetime64"):
            nadi.Table({"at": numpy.array(["2026-01-01"], dtype="datetime64[s]")}).__arrow_c_stream__()

    def test_a_flag_may_have_no_value(self):
        flags = nadi.Table({"a": numpy.ma.array([True, False, False], mask=[0, 0, 1])}).to_pandas()["a"]
        self.assertEqual(flags[:2].tolist(), [True, False])
        self.assertTrue(flags.isna()[2])

    def test_a_row_may_have_no_value(self):
        table = nadi.Table({"n": numpy.ma.array([1, 2, 3], mask=[False, True, False])})
        self.assertEqual(table["n"].tolist(), [1, None, 3])
        self.assertEqual(table[1], {"n": None})
        self.assertEqual(arrow_importer.read(table), {"n": [1, None, 3]})
        frame = table.to_pandas()
        self.assertEqual((frame["n"].dtype.name, frame["n"].sum()), ("Int64", 4))

    def test_a_part_of_a_table_has_the_texts_of_its_rows(self):
        names = [f"name {number}" for number in range(100_000)]
        part = nadi.Table({"name": nadi.Texts(numpy.arange(100_000), names)}).head(2)
        self.assertLess(len(pickle.dumps(part)), 2000)
        self.assertEqual(pickle.loads(pickle.dumps(part))["name"].tolist(), ["name 0", "name 1"])

    def test_arrow_walks_the_texts_of_a_part_alone(self):
        class Names(list):
            def __iter__(self):
                raise AssertionError("all names are walked")
        names = Names(f"name {number}" for number in range(1000))
        part = nadi.Table({"name": nadi.Texts(numpy.arange(1000), names)})[[7, 3]]
        self.assertEqual(arrow_importer.read(part), {"name": ["name 7", "name 3"]})

    def test_arrow_takes_a_table_as_it_is(self):
        self.assertEqual(arrow_importer.read(self.table), {
            "n": [0, 1, 2], "text": ["a", "b", "a"], "is": [True, False, True],
            "real": [0.5, 1, 2]})
        self.assertEqual(arrow_importer.read(self.table[:0])["text"], [])

    def test_it_prints_as_a_table(self):
        self.assertEqual(repr(self.table.head(1)).split("\n")[1].split(), ["0", "a", "True", "0.5"])
        many = nadi.Table({"text": ["a", "long"] * 11, "number": numpy.arange(22)})
        self.assertEqual(repr(many).split("\n")[:3], ["text  number", "a          0", "long       1"])
        self.assertEqual(repr(many).split("\n")[-1], "and 2 more rows")
        self.assertEqual(repr(many[:0]), "text  number\n0 rows")
        marked = nadi.Table({"<b>": nadi.Texts.of(["&"])})
        self.assertIn("<tr><th>&lt;b&gt;</th></tr><tr><td>&amp;</td></tr>", marked._repr_html_())


class Graphs(InFolder):
    def setUp(self):
        super().setUp()
        tool("convert", SAMPLE, "--output", self.folder / "x")
        self.graph = nadi.read_graph(self.folder / "x.0.et")
        self.shown = json.loads(tool("show", self.folder / "x.0.et"))["nodes"]

    def test_has_every_node_that_the_tool_shows(self):
        self.assertEqual(self.graph.nodes["id"].tolist(), [int(node["id"]) for node in self.shown])
        self.assertEqual(list(self.graph.nodes["name"]), [node["name"] for node in self.shown])
        self.assertEqual(list(self.graph.nodes["type"]),
                         [node["type"].replace("_NODE", "") for node in self.shown])

    def test_has_every_edge_that_the_tool_shows(self):
        ids = self.graph.nodes["id"]
        edges = self.graph.edges
        found = set(zip(ids[edges["source"]].tolist(), ids[edges["target"]].tolist()))
        shown = {(int(source), int(node["id"])) for node in self.shown
                 for kind in ("dataDeps", "ctrlDeps") for source in node.get(kind, [])}
        self.assertEqual(found, shown)
        self.assertIn("launch", set(edges["evidence"]))
        self.assertEqual(set(edges["inferred"]), {"recorded"})

    def test_arrays_look_into_memory_that_they_keep(self):
        starts = self.graph.nodes["start_ns"]
        before = starts.tolist()
        self.assertFalse(starts.flags.owndata or starts.flags.writeable)
        self.graph = None
        self.assertEqual(starts.tolist(), before)

    def test_communications_name_their_node(self):
        for row in self.graph.communications.rows():
            self.assertEqual(self.shown[row["node"]]["type"], "COMM_COLL_NODE")
            self.assertEqual(row["collective"], "ALL_REDUCE")
            self.assertGreater(row["bytes"], 0)
        self.assertEqual(len(self.graph.communications), 2)

    def test_arrow_takes_nodes(self):
        nodes = arrow_importer.read(self.graph.nodes)
        self.assertEqual(nodes["name"], [node["name"] for node in self.shown])
        self.assertEqual(nodes["start_ns"], self.graph.nodes["start_ns"].tolist())

    def test_becomes_a_graph_of_networkx(self):
        try:
            import networkx
        except ImportError:
            self.skipTest("there is no networkx")
        made = self.graph.to_networkx()
        self.assertEqual(made.number_of_edges(), len(self.graph.edges))
        self.assertTrue(networkx.is_directed_acyclic_graph(made))
        self.assertEqual(made.nodes[0]["name"], self.shown[0]["name"])

    def test_a_graph_with_a_name_that_is_no_utf_8_is_refused_as_by_the_tool(self):
        graph = (self.folder / "x.0.et").read_bytes()
        self.assertIn(b"aten::mm", graph)
        (self.folder / "bad.et").write_bytes(graph.replace(b"aten::mm", b"\xff\xff\xff\xff::mm"))
        with self.assertRaisesRegex(nadi.Error, "text is not UTF-8"):
            nadi.read_graph(self.folder / "bad.et")

    def test_a_graph_without_times_has_no_column_of_starts(self):
        tool("generate", "data-parallel", "--npus", "2", "--output", self.folder / "made")
        graph = nadi.read_graph(next(self.folder.glob("made*.et")))
        self.assertNotIn("start_ns", graph.nodes)
        self.assertIn("duration_ns", graph.nodes)

    def test_a_good_graph_breaks_no_rule(self):
        self.assertEqual(len(nadi.check(self.folder / "x.0.et", strict=True)["rule"]), 0)
        whole = (self.folder / "x.0.et").read_bytes()
        (self.folder / "cut.et").write_bytes(whole[:-3])
        self.assertIn("framing", list(nadi.check(self.folder / "cut.et")["rule"]))

    def test_a_check_takes_the_options_of_the_tool(self):
        graphs = [self.folder / "x.0.et", self.folder / "x.1.et"]
        broken = nadi.check(*graphs, profile="astra-sim").rows()
        self.assertEqual([(row["rule"], row["severity"], row["count"], row["fails"]) for row in broken],
                         [("device-delay", "warning", 4, False), ("roofline-unknown", "warning", 34, False)])
        self.assertIn("rank 0: node 7 (delay); rank 0: node 82", broken[0]["first"])
        strict = nadi.check(graphs, profile="astra-sim", strict=True)
        self.assertEqual(strict["fails"].tolist(), [True, True])
        self.assertEqual(nadi.check(graphs[0], profile="astra-sim").rows()[0]["rule"], "one-rank")
        with self.assertRaisesRegex(nadi.Error, "--comm-groups: needs --profile astra-sim"):
            nadi.check(graphs, comm_groups="g.json")
        with self.assertRaisesRegex(nadi.Error, "--profile"):
            nadi.check(graphs, profile="astra")


class Jobs(InFolder):
    def setUp(self):
        super().setUp()
        self.job = nadi.open(SAMPLE)
        tool("profile", SAMPLE, "--output", self.folder / "p.json")
        self.told = json.loads((self.folder / "p.json").read_text())

    def test_says_what_the_tool_says(self):
        self.assertEqual(self.job.profile(), self.told)
        self.assertEqual(nadi.profile(SAMPLE), self.told)
        self.assertEqual(self.job.ranks, [0, 1])
        self.assertEqual((self.job.devices()["length_ms"] * 1e6).round().tolist(),
                         [device["length_ns"] for device in self.told["devices"]])
        self.assertEqual(list(self.job.kernels()["name"]),
                         [kernel["name"] for kernel in self.told["kernels"]])
        self.assertEqual(len(self.job.ops()), len(self.told["ops"]))
        self.assertEqual(len(self.job.collective_members()),
                         sum(len(one["members"]) for one in self.told["collectives"]))

    def test_the_critical_path_adds_up_by_whatever_it_is_summed(self):
        path = self.job.critical_path()
        self.assertEqual(round(path.ms * 1e6), self.told["path_ns"])
        for what in "op", "kind", "rank", "step":
            self.assertAlmostEqual(path.by(what)["ms"].sum(), path.ms, msg=what)
        shares = {(row["kind"], row["name"]): row["ms"] for row in path.by("op").rows()}
        told = {}
        for part in self.told["path"]:
            key = part["kind"], part["at"]
            told[key] = told.get(key, 0) + part["ns"] / 1e6
        self.assertEqual({key: round(ms, 6) for key, ms in shares.items()},
                         {key: round(ms, 6) for key, ms in told.items()})

    def test_replays_as_the_tool_does(self):
        tool("replay", SAMPLE, "--scale", "kernels=3", "--report", self.folder / "r.json")
        told = json.loads((self.folder / "r.json").read_text())
        self.assertEqual(self.job.replay().ns, told["replayed_ns"])
        self.assertEqual(self.job.what_if({"kernels": 3}).ns, told["scaled_ns"])
        self.assertEqual(nadi.replay(SAMPLE, scale="kernels=3").ns, told["scaled_ns"])
        self.assertEqual(self.job.measured().ns, told["measured_ns"])
        tool("replay", SAMPLE, "--host-lanes", "1", "--report", self.folder / "r.json")
        self.assertEqual(self.job.replay(host_lanes=1).ns,
                         json.loads((self.folder / "r.json").read_text())["replayed_ns"])
        self.assertEqual(self.job.replay(inferred="without").ns,
                         (told["inferred"] or {"without_ns": told["replayed_ns"]})["without_ns"])
        with self.assertRaisesRegex(nadi.Error, "contradict each other"):
            self.job.replay(lanes="none", host_lanes=1)
        with self.assertRaisesRegex(nadi.Error, "There are with, without"):
            self.job.replay(inferred="no")
        ends = self.job.what_if({"kernels": 3}).times(0)["end_ns"]
        self.assertEqual(len(ends), len(self.job.graph(0)))

    def test_an_archive_is_a_folder(self):
        with tarfile.open(self.folder / "job.tar.gz", "w:gz") as archive:
            archive.add(SAMPLE, "job")
        job = nadi.open(self.folder / "job.tar.gz")
        self.assertEqual(job.ranks, [0, 1])
        self.assertEqual(job.steps().rows(), self.job.steps().rows())

    def test_of_a_step_there_are_its_own_kernels(self):
        job = nadi.open(STEPS)
        steps = job.steps()["step"].tolist()
        self.assertGreater(len(steps), 1)
        whole = job.kernels()["count"].sum()
        self.assertEqual(sum(job.kernels(step=step)["count"].sum() for step in steps), whole)
        tool("profile", STEPS, "--steps", steps[1], "--output", self.folder / "p.json")
        self.assertEqual(job.profile(steps=steps[1]), json.loads((self.folder / "p.json").read_text()))
        self.assertGreater(len(job.critical_path(step=str(steps[0])).pieces), 0)
        with self.assertRaisesRegex(nadi.Error, f"step 7777: is none of the job's. There are "
                                                f"{steps[0]}, "):
            job.critical_path(step=7777)
        with self.assertRaisesRegex(nadi.Error, f"There are the steps {steps[0]} to "):
            job.kernels(step=7777)

    def test_steps_and_ranks_are_taken_as_tables_give_them(self):
        job = nadi.open(STEPS)
        step = job.steps()["step"].tolist()[0]
        kernels = job.kernels(step=step).rows()
        self.assertEqual(job.path_steps()["step"].dtype.kind, "i")
        for same in float(step), numpy.float64(step), numpy.int32(step), str(step), f"{step}-{step}":
            self.assertEqual(job.kernels(step=same).rows(), kernels)
            self.assertEqual(job.critical_path(step=same).ms, job.critical_path(step=step).ms)
        for _, row in job.steps().to_pandas().iterrows():
            self.assertGreater(len(job.kernels(step=row["step"])), 0)
            self.assertEqual(len(job.graph(row["rank"])), len(job.graph()))
        self.assertEqual(len(job.measured().times(0.0)), len(job.graph(0.0)))
        for wrong in (lambda: job.kernels(step=step + .7), lambda: job.critical_path(step=step + .7)):
            with self.assertRaisesRegex(nadi.Error, "is no range like 3-5"):
                wrong()
        with self.assertRaisesRegex(nadi.Error, "rank 'a': is no whole number"):
            job.graph("a")
        steps = job.path_steps()
        by = {row["step"]: row["ms"] for row in job.critical_path().by("step").rows()}
        told = {row["step"]: sum(row[name] for name in steps if name.startswith("ms."))
                for row in steps.rows()}
        self.assertEqual({step: round(ms, 6) for step, ms in by.items()},
                         {step: round(ms, 6) for step, ms in told.items()})

    def test_columns_have_their_type_whatever_the_rows(self):
        none, some = nadi.open(STEPS).collectives(), self.job.collectives()
        self.assertEqual([none[name].dtype for name in ("last_rank", "waiting_ms", "bytes")],
                         [some[name].dtype for name in ("last_rank", "waiting_ms", "bytes")])
        self.assertEqual(none.to_pandas()["last_rank"].dtype, some.to_pandas()["last_rank"].dtype)
        parents = arrow_importer.read(self.job.call_paths())["parent"]
        self.assertEqual(parents, [row["parent"] for row in self.told["call_paths"]])
        self.assertIn(None, parents)

    def test_tables_without_rows_have_their_columns(self):
        job = nadi.open(STEPS)
        for name in ("steps", "devices", "kernels", "families", "ops", "call_paths", "idle",
                     "collectives", "collective_members", "waiting", "findings", "path_steps"):
            self.assertEqual(list(getattr(job, name)()), list(getattr(self.job, name)()), name)
        self.assertEqual(len(job.collectives()), 0)
        self.assertIn("waiting_ms", job.collective_members())


class Calls(InFolder):
    def test_errors_say_what_where_and_what_to_do(self):
        with self.assertRaises(nadi.Error) as caught:
            nadi.open(self.folder / "none.json")
        self.assertEqual(caught.exception.code, "input")
        self.assertIn("none.json", caught.exception.where)
        self.assertTrue(caught.exception.remedy)
        with self.assertRaises(nadi.Error) as caught:
            nadi.convert(STEPS, outputt="x")
        self.assertEqual(caught.exception.code, "usage")
        self.assertIn("Did you mean --output?", str(caught.exception))
        with self.assertRaises(nadi.Error):
            nadi.events(STEPS, argz=["minimum"])
        with self.assertRaisesRegex(nadi.Error, "rank 7: is none of the job's. There are 0"):
            nadi.open(STEPS).graph(7)
        for wrong in (lambda: nadi.open([]), lambda: nadi.open(None)):
            with self.assertRaises(TypeError):
                wrong()
        with self.assertRaisesRegex(nadi.Error, "There are ALL, CPU, GPU"):
            nadi.compare_traces(STEPS, STEPS, device_type="TPU")
        with self.assertRaisesRegex(nadi.Error, "writes no report"):
            nadi.convert(STEPS, help=True)
        with self.assertRaisesRegex(nadi.Error, "nadi nope: is no verb. There are convert, "):
            nadi.run("nope")
        with self.assertRaisesRegex(nadi.Error, "what='colour': is none. There are op, kind"):
            nadi.open(STEPS).critical_path().by("colour")
        with self.assertRaisesRegex(nadi.Error, "does -1"):
            nadi.open(STEPS).kernels(peak_tflops=-1)

    def test_findings_are_warnings(self):
        cut = self.folder / "cut.json"
        cut.write_bytes(gzip.decompress(STEPS.read_bytes())[:-200])
        (self.folder / "ranks").mkdir()
        for rank in 0, 1:
            trace = cut.read_bytes().replace(b'"rank": 0', b'"rank": %d' % rank)
            (self.folder / "ranks" / f"device.{rank}.json").write_bytes(trace)
        ranks, file = self.folder / "ranks", r".*cut\.json: "
        for place, work in ((file, lambda: nadi.open(cut)), (file, lambda: nadi.events(cut)),
                            (file, lambda: nadi.diff(STEPS, cut)),
                            (file, lambda: nadi.compare_traces(cut, STEPS)),
                            ("rank 0: ", lambda: nadi.open(ranks)),
                            (r".*device\.0\.json: ", lambda: nadi.events(ranks)),
                            ("rank 0: ", lambda: nadi.convert(ranks, output=self.folder / "y")),
                            ("", lambda: nadi.convert(cut, output=self.folder / "x")),
                            ("", lambda: nadi.link(cut, output=self.folder / "x.json"))):
            with self.assertWarnsRegex(nadi.FindingWarning,
                                       f"^truncated-input(, . times)?: {place}.*event 67 ") as told:
                work()
            self.assertEqual(told.filename, __file__)

    def test_failed_ranks_are_an_error_that_has_the_report(self):
        ranks = self.folder / "ranks"
        ranks.mkdir()
        for file in SAMPLE.glob("*.json.gz"):
            (ranks / file.name).write_bytes(file.read_bytes())
        cut = gzip.decompress((ranks / "device.1.json.gz").read_bytes())[:900]
        (ranks / "device.1.json.gz").write_bytes(gzip.compress(cut))
        with self.assertRaisesRegex(nadi.Error, "only . of 42 host ops") as caught:
            nadi.convert(ranks, output=self.folder / "x")
        self.assertEqual(len(caught.exception.report["failed"]), 1)
        self.assertTrue((self.folder / "x.0.et").exists())
        with self.assertRaisesRegex(nadi.Error, "no job is written"):
            nadi.convert(ranks, output=self.folder / "y", target="astra-sim")

    def test_converts_to_the_same_file_as_the_tool(self):
        report = nadi.convert(STEPS, output=self.folder / "here", delays="all", compress="gzip")
        tool("convert", STEPS, "--output", self.folder / "there", "--delays", "all",
             "--compress", "gzip")
        self.assertEqual((self.folder / "here.0.et.gz").read_bytes(),
                         (self.folder / "there.0.et.gz").read_bytes())
        self.assertEqual(report["output"], str(self.folder / "here.0.et.gz"))
        kept = self.folder / "r.json"
        report = nadi.convert(STEPS, output=self.folder / "here", report=kept)
        self.assertEqual(json.loads(kept.read_text()), report)
        odd = os.fsencode(self.folder) + b"/\xff.json.gz"
        with open(odd, "wb") as file:
            file.write(STEPS.read_bytes())
        nadi.convert(odd, output=os.fsencode(self.folder / "bytes"))
        self.assertTrue((self.folder / "bytes.0.et").exists())
        self.assertIn("xff", nadi.open(odd).graph().name)
        self.assertGreater(len(nadi.events(odd)), 0)

    def test_an_empty_text_is_the_options_value(self):
        nadi.run("events", STEPS, skip_categories="", output=self.folder / "all.csv", quiet=True)
        self.assertTrue((self.folder / "all.csv").exists())

    def test_events_take_their_options_from_a_file(self):
        (self.folder / "settings.yml").write_text("args: [minimum]\nround-us: true\n")
        table = nadi.events(STEPS, config=self.folder / "settings.yml")
        self.assertEqual(list(table), list(nadi.events(STEPS, args=["minimum"])))
        self.assertEqual(table["ts"].dtype, numpy.int64)

    def test_times_of_events_are_those_of_the_file_and_of_the_csv(self):
        times = [1_000_000.29, 8_192_000.007, 16_777_216.331, 1_700_000_000_000_000.123]
        events = [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": ts, "dur": dur}
                  for ts in times for dur in (0.001, 1.118, 1.132, 1025.003, 131_072.057)]
        trace = self.folder / "times.json"
        trace.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
        tool("events", trace, "--output", self.folder / "times.csv")
        rows = nadi.events(trace).rows()
        self.assertEqual([(row["ts"], row["dur"]) for row in rows],
                         [(event["ts"], event["dur"]) for event in events])
        with (self.folder / "times.csv").open() as file:
            told = [{name: float(row[name]) for name in ("ts", "dur", "end")}
                    for row in csv.DictReader(file)]
        self.assertEqual([{name: row[name] for name in ("ts", "dur", "end")} for row in rows], told)

    def rows_of_the_tool(self, name, *options):
        def flat(row, before=""):
            for key, value in row.items():
                if isinstance(value, dict):
                    yield from flat(value, f"{before}{key}.")
                else:
                    yield before + key, value
        told = json.loads(tool("diff", *options, "--output", "-", "--format", "json"))
        return [dict(flat(row)) for row in told[name]]

    def test_compares_two_runs(self):
        sides, many = (STEPS, SAMPLE / "device.0.json.gz"), (STEPS, STEPS)
        for by in "name", "short-name", "kernel-family", "stream", "collective":
            self.assertEqual(nadi.diff(*sides, by=by).rows(),
                             self.rows_of_the_tool("rows", *sides, "--by", by), by)
        table = nadi.diff(*many, iterations="all")
        self.assertEqual(table.rows(), self.rows_of_the_tool("rows", *many, "--iterations", "all"))
        self.assertEqual(set(table["significant"].tolist()), {False})
        calls = nadi.diff(*sides, by="call-path").rows()
        self.assertEqual(calls[0]["parent"], None)
        calls[0]["parent"] = 0  # as the JSON has it
        self.assertEqual(calls, self.rows_of_the_tool("calls", *sides, "--by", "call-path"))

    def test_columns_of_a_diff_are_those_of_any_two_runs(self):
        some, none = nadi.diff(STEPS, STEPS), nadi.diff(STEPS, STEPS, only="no such name")
        self.assertEqual((len(none), list(none)), (0, list(some)))
        self.assertIn("mean_own.diff_us", none)
        spread = nadi.diff(STEPS, STEPS, iterations="all")  # tells what is significant
        types = [{name: getattr(table[name], "dtype", "texts") for name in table}
                 for table in (some, none, spread)]
        self.assertEqual(types[0]["change"], "texts")
        self.assertEqual(types[1:], [types[0], types[0]])
        self.assertEqual(some.to_pandas()["significant"].dtype.name, "boolean")
        self.assertEqual(len(nadi.compare_traces(STEPS, STEPS).columns), 7)
        self.assertEqual(list(nadi.ops_diff(STEPS, STEPS)),
                         ["added", "deleted", "increased", "decreased", "unchanged"])

    def test_conditions_of_a_diff_raise_what_failed(self):
        with self.assertRaisesRegex(nadi.Error, "nadi diff: added>0 holds") as caught:
            nadi.diff(STEPS, SAMPLE / "device.0.json.gz", fail_if="added>0")
        self.assertEqual(caught.exception.code, "check")
        self.assertEqual(caught.exception.report["gate"]["failed"][0]["condition"], "added>0")
        self.assertIn("lanes", caught.exception.report)
        self.assertGreater(len(nadi.diff(STEPS, STEPS, fail_if="added>0")), 3)
        for options in {"top": 3}, {"html": self.folder / "x.html"}, {"significant": True}:
            with self.assertRaisesRegex(nadi.Error, "--(top|html|significant): is for what the tool"):
                nadi.diff(STEPS, STEPS, **options)
        with self.assertRaisesRegex(nadi.Error, "is asked for a help text alone"):
            nadi.diff(STEPS, STEPS, help=True)
        with self.assertRaisesRegex(nadi.Error, "Did you mean --device?"):
            nadi.diff(STEPS, STEPS, devise="host")

    def test_makes_a_job_for_a_simulator(self):
        nadi.convert(SAMPLE, output=self.folder / "job", target="astra-sim")
        self.assertTrue((self.folder / "job.network.yml").exists())
        self.assertEqual(nadi.run("check", self.folder / "job.0.et", quiet=True), 0)

    def test_links(self):
        linked = nadi.link(SAMPLE / "device.0.json.gz", SAMPLE / "host.0.json.gz",
                           output=self.folder / "linked.json")
        self.assertIn("nodes", json.loads(pathlib.Path(linked).read_text()))

    def test_progress_is_told_and_may_end_the_work(self):
        stages = []
        nadi.open(STEPS, progress=lambda stage, done, total: stages.append(stage))
        self.assertIn("reading", stages)
        nadi.convert(STEPS, output=self.folder / "x",
                     progress=lambda stage, done, total: stages.append("convert " + stage))
        self.assertIn("convert reading", stages)
        for work in nadi.open, nadi.read_graph, nadi.check:
            stages.clear()
            work(self.folder / "x.0.et", progress=lambda *told: stages.append(told[0]))
            self.assertEqual(set(stages), {"reading"})

        def call_again(stage, done, total):
            nadi.convert(STEPS, output=self.folder / "again")
        with self.assertRaisesRegex(nadi.Error, "a verb is called by the progress callback"):
            nadi.convert(STEPS, output=self.folder / "y", progress=call_again)

        def refuse(stage, done, total):
            raise LookupError(stage)
        with self.assertRaises(LookupError):
            nadi.open(STEPS, progress=refuse)

    def test_an_interrupt_ends_the_work(self):
        with tempfile.TemporaryDirectory() as folder:
            tool("convert", STEPS, "--output", folder + "/x")
            graph = (pathlib.Path(folder) / "x.0.et").read_bytes()
        graphs = tempfile.NamedTemporaryFile(suffix=".et")
        self.addCleanup(graphs.close)
        graphs.write(graph)
        graphs.flush()
        for work in (lambda progress: nadi.open(STEPS, progress=progress),
                     lambda progress: nadi.open(graphs.name, progress=progress),
                     lambda progress: nadi.read_graph(graphs.name, progress=progress),
                     lambda progress: nadi.check(graphs.name, progress=progress),
                     lambda progress: nadi.events(STEPS, progress=progress),
                     lambda progress: nadi.diff(STEPS, STEPS, progress=progress),
                     lambda progress: nadi.diff(graphs.name, graphs.name, progress=progress),
                     lambda progress: nadi.run("graph", graphs.name, progress=progress,
                                               output=self.folder / "never.dot"),
                     lambda progress: nadi.convert(STEPS, output=self.folder / "never",
                                                   progress=progress)):
            with self.assertRaises(KeyboardInterrupt):
                work(lambda stage, done, total: signal.raise_signal(signal.SIGINT))
        with self.assertRaises(KeyboardInterrupt):  # of many ranks, in threads of their own
            nadi.convert(SAMPLE, output=self.folder / "never", jobs=2,
                         progress=lambda *told: signal.raise_signal(signal.SIGINT))
        for file in self.folder.glob("never.manifest*"):
            file.unlink()  # of what was done before
        self.assertEqual(list(self.folder.iterdir()), [])
        self.assertEqual(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_an_interrupt_is_for_the_handler_of_the_program(self):
        class Stop(Exception):
            pass

        def stop(number, frame):
            raise Stop
        self.addCleanup(signal.signal, signal.SIGINT, signal.signal(signal.SIGINT, stop))
        with self.assertRaises(Stop):
            nadi.open(STEPS, progress=lambda *told: signal.raise_signal(signal.SIGINT))

    def test_options_that_only_the_tool_has_are_named_with_what_has_them(self):
        for work in (lambda: nadi.replay(STEPS, report="r.json"),
                     lambda: nadi.profile(STEPS, output="p.json"),
                     lambda: nadi.open(STEPS).replay(output="x.json")):
            with self.assertRaisesRegex(nadi.Error, "nadi.run.'(replay|profile)'") as caught:
                work()
            self.assertEqual(caught.exception.code, "usage")

    def test_lists_of_numbers_are_those_of_the_tool(self):
        whole = nadi.diff(STEPS, STEPS, iterations="all")
        steps = nadi.open(STEPS).path_steps()["step"].compressed().tolist()
        table = nadi.diff(STEPS, STEPS, iterations=steps, ranks=[0])
        self.assertEqual(table["name"].tolist(),
                         nadi.diff(STEPS, STEPS, iterations=",".join(map(str, steps)))["name"].tolist())
        self.assertGreaterEqual(len(whole), len(table))
        for values in {"bandwidth"}, ("bandwidth",), iter(["bandwidth"]), numpy.array(["bandwidth"]):
            self.assertEqual(list(nadi.events(STEPS, args=values)),
                             list(nadi.events(STEPS, args="bandwidth")))

    def test_none_and_false_are_options_that_are_not_given(self):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        self.assertEqual(nadi.convert(STEPS, report=None)["output"], "device.0.et")
        rows = nadi.diff(STEPS, STEPS)["name"].tolist()
        self.assertEqual(nadi.diff(STEPS, STEPS, output=None, significant=False)["name"].tolist(), rows)
        linked = nadi.link(SAMPLE / "device.0.json.gz", SAMPLE / "host.0.json.gz", report=None)
        self.assertEqual(linked, "device.0.linked.json")
        self.assertTrue((self.folder / linked).exists())

    def test_a_verb_prints_where_python_prints(self):
        for printed in io.StringIO(), io.TextIOWrapper(io.BytesIO(), write_through=True):
            with contextlib.redirect_stdout(printed):
                nadi.run("doctor", STEPS)
                nadi.run("convert", help_all=True)
            printed.seek(0)
            told = printed.read()
            self.assertIn("device.0.json.gz", told)
            self.assertIn("Usage: nadi convert", told)

    def test_a_verb_that_waits_for_another_can_be_stopped(self):
        is_inside, may_end = threading.Event(), threading.Event()

        def hold(stage, done, total):
            is_inside.set()
            may_end.wait(30)
        work = threading.Thread(target=lambda: nadi.convert(STEPS, output=self.folder / "x",
                                                            progress=hold))
        work.start()
        is_inside.wait(30)
        stages = []

        def interrupt(stage, done, total):
            stages.append(stage)
            signal.raise_signal(signal.SIGINT)
        with self.assertRaises(KeyboardInterrupt):
            nadi.convert(STEPS, output=self.folder / "y", progress=interrupt)
        self.assertEqual(stages, ["waiting for its turn"])
        may_end.set()
        work.join()
        self.assertFalse((self.folder / "y.0.et").exists())

    def test_python_may_end_while_a_thread_calls(self):
        code = ("import nadi, threading, time\n"
                f"work = lambda: [nadi.open({str(STEPS)!r}, progress=lambda *told: None)"
                " for _ in range(100000)]\n"
                "[threading.Thread(target=work, daemon=True).start() for _ in range(3)]\n"
                "time.sleep(0.3)\n")
        done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True,
                              timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_forked_process_has_no_calls_of_other_threads(self):
        code = ("import nadi, os, threading, time\n"
                "is_inside = threading.Event()\n"
                "def hold(*told):\n"
                "    is_inside.set()\n"
                "    time.sleep(1)\n"
                f"work = lambda: nadi.convert({str(STEPS)!r}, output='x', progress=hold)\n"
                "threading.Thread(target=work, daemon=True).start()\n"
                "is_inside.wait()\n"
                "child = os.fork()\n"
                "if child == 0:\n"
                f"    nadi.convert({str(STEPS)!r}, output='y')\n"
                "    raise SystemExit(7)\n"
                "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n")
        begin = time.monotonic()
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", code], text=True,
                              capture_output=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual((done.stdout, done.stderr), ("7\n", ""))
        self.assertLess(time.monotonic() - begin, 8)

    def test_a_process_that_another_thread_forks_in_a_call_is_interrupted_by_ctrl_c(self):
        code = ("import nadi, os, signal, threading, time\n"
                "def fork():\n"
                "    child = os.fork()\n"
                "    if child == 0:\n"
                "        try:\n"
                "            signal.raise_signal(signal.SIGINT)\n"
                "            time.sleep(5)\n"
                "        except KeyboardInterrupt:\n"
                "            os._exit(7)\n"
                "        os._exit(0)\n"
                "    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
                "threads = []\n"
                "def once(*told):\n"
                "    if not threads:\n"
                "        threads.append(threading.Thread(target=fork))\n"
                "        threads[0].start()\n"
                "        threads[0].join()\n"
                f"nadi.convert({str(STEPS)!r}, output='x', progress=once)\n")
        done = subprocess.run([sys.executable, "-B", "-W", "ignore", "-c", code], text=True,
                              capture_output=True, timeout=60, cwd=self.folder,
                              env={**os.environ, "PYTHONPATH": str(PACKAGE)})
        self.assertEqual((done.stdout, done.stderr), ("7\n", ""))

    def test_replays_without_guesses_leave_other_threads_their_edges(self):
        job = nadi.open(SAMPLE)
        edges, ns = len(job.graph(0).edges), job.critical_path().ms
        is_done = threading.Event()

        def replay():
            while not is_done.is_set():
                job.replay(inferred="without")
        threads = [threading.Thread(target=replay) for _ in range(2)]
        for one in threads:
            one.start()
        seen = {(len(job.graph(0).edges), job.critical_path().ms, job.measured().ms)
                for _ in range(50)}
        is_done.set()
        for one in threads:
            one.join()
        self.assertEqual(seen, {(edges, ns, job.measured().ms)})

    def test_other_threads_of_python_run_meanwhile(self):
        counted = 0
        work = threading.Thread(target=lambda: [nadi.open(SAMPLE) for _ in range(20)])
        work.start()
        while work.is_alive():
            counted += 1
            work.join(0.001)
        self.assertGreater(counted, 5)


class Installed(InFolder):
    def test_the_package_runs_where_it_is_installed(self):
        subprocess.run(["cmake", "--install", os.environ["NADI_BUILD"], "--prefix", self.folder,
                        "--component", "nadi_python"], check=True, capture_output=True)
        place, = self.folder.glob("lib/python3*/dist-packages")
        code = f"import nadi; print(nadi.__file__); print(nadi.open({str(STEPS)!r}).ranks)"
        done = subprocess.run([sys.executable, "-B", "-c", code], text=True, check=True,
                              capture_output=True, env={**os.environ, "PYTHONPATH": str(place)})
        self.assertEqual(done.stdout, f"{place}/nadi/__init__.py\n[0]\n")
        self.assertEqual({file.suffix for file in (place / "nadi").iterdir()},
                         {".py", ".pyi", ".so", ".typed"})


class Documents(InFolder):
    def test_the_example_of_the_readme_runs(self):
        text = README.read_text()
        code = text.split("```python\n")[1].split("```")[0]
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        os.symlink(SAMPLE, "traces")
        os.symlink(STEPS, "device.json.gz")
        exec(compile(code, str(README), "exec"), {})

    def test_the_stubs_have_the_names_and_arguments_that_there_are(self):
        stubs = ast.parse(pathlib.Path(nadi.__file__).with_suffix(".pyi").read_text())

        def arguments(node):
            args = node.args
            return [one.arg for one in args.posonlyargs + args.args + args.kwonlyargs
                    + [args.vararg, args.kwarg] if one is not None]

        def signatures(body):
            found = {}
            for node in body:
                if isinstance(node, ast.ClassDef):
                    found[node.name] = signatures(node.body)
                elif isinstance(node, ast.FunctionDef):
                    found[node.name] = arguments(node)
            return found

        there = ast.parse(pathlib.Path(nadi.__file__).read_text())
        for wanted in signatures(there.body), signatures(stubs.body):
            self.assertGreater(len(wanted), 10)

        def public(found):
            return {name: public(value) if isinstance(value, dict) else sorted(value)
                    for name, value in found.items() if not name.startswith("_")}
        stubbed = public(signatures(stubs.body))
        stubbed.pop("Error")  # of the module in C++
        self.assertEqual(stubbed, public(signatures(there.body)))

    def test_all_that_is_public_has_a_docstring(self):
        text = pydoc.plain(pydoc.render_doc(nadi))
        self.assertIn("job.critical_path().by(\"rank\")", text)
        for name in nadi.__all__:
            one = getattr(nadi, name)
            self.assertTrue(one.__doc__, name)
            if inspect.isclass(one) and one is not nadi.Error:
                for inner, value in vars(one).items():
                    if not inner.startswith("_"):
                        self.assertTrue(value.__doc__, f"{name}.{inner}")


def are_alike(found, told):
    """Lists are JSON where HTA's are Python's."""
    if isinstance(told, float):
        return math.isclose(found, told)
    return found == told or (str(told).startswith("[")
                             and json.loads(found) == ast.literal_eval(told))


@unittest.skipUnless(REAL.exists(), "there are no real traces")
class HtaAnswers(unittest.TestCase):
    control, test = REAL / "trace-diff" / "control.json.gz", REAL / "trace-diff" / "test.json.gz"

    def same_as(self, frame, expected):
        frame = frame.reset_index()
        with (REAL / "trace-diff" / expected).open() as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(frame.columns.tolist(), list(rows[0]))
        number = {row[frame.columns[0]]: row for row in rows}
        self.assertEqual(sorted(frame.iloc[:, 0]), sorted(number))
        for row in frame.to_dict("records"):
            for name, value in row.items():
                told = number[row[frame.columns[0]]][name]
                self.assertEqual(value, told if isinstance(value, str) else float(told))

    def test_compare_traces(self):
        self.same_as(nadi.compare_traces(self.control, self.test),
                     "expected.first-iteration.all.full-names.csv")
        self.same_as(nadi.compare_traces(self.control, self.test, device_type="CPU",
                                         use_short_name=True),
                     "expected.first-iteration.host.short-names.csv")

    def test_ops_diff(self):
        expected = REAL / "trace-diff" / "expected.ops-diff.first-iteration.all.json"
        told = {name: sorted(ops) for name, ops in json.loads(expected.read_text()).items()}
        found = {name: sorted(ops) for name, ops in nadi.ops_diff(self.control, self.test).items()}
        self.assertEqual(found, told)

    def test_pictures(self):
        try:
            import matplotlib
        except ImportError:
            self.skipTest("there is no matplotlib")
        matplotlib.use("Agg")
        frame = nadi.compare_traces(self.control, self.test)
        self.assertEqual(frame.index.name, "name")
        with tempfile.TemporaryDirectory() as folder:
            for draw in nadi.visualize_counts_diff, nadi.visualize_duration_diff:
                for rows in 10, 0:
                    path = pathlib.Path(folder) / "bars.png"
                    draw(frame.head(rows), show_image=False, export_image_path=path)
                    self.assertGreater(path.stat().st_size, 1000)
                    path.unlink()

    def test_event_tables(self):
        symbols = json.loads((REAL / "events" / "expected.symbols.json").read_text())
        for name in "default", "complete":
            with gzip.open(REAL / "events" / f"expected.{name}.csv.gz", "rt") as file:
                expected = pandas.read_csv(io.StringIO(file.read()), index_col=0,
                                           keep_default_na=False)
            frame = nadi.events(REAL / "events" / "device.json.gz", args=[name],
                                round_us=True).to_pandas().set_index("index", drop=False)
            rows = frame.loc[expected["index"]]
            self.assertEqual([frame[column].dtype for column in ("pid", "tid")], [numpy.int64] * 2)
            for column in expected:
                told = expected[column].tolist()
                if column in ("name", "cat"):  # numbers of symbols, which are told of one table
                    if name == "complete":
                        pairs = set(zip(told, rows[column]))
                        self.assertEqual(len({code for code, _ in pairs}), len(pairs))
                        self.assertEqual(len({text for _, text in pairs}), len(pairs))
                        continue
                    told = [symbols[place] for place in told]
                found = [type(one)(value) for one, value in zip(told, rows[column])]
                unlike = [pair for pair in zip(found, told) if not are_alike(*pair)]
                self.assertEqual(unlike[:3], [], f"{name}: {column}, {len(unlike)} rows")
            self.assertEqual(expected.columns.difference(frame.columns).tolist(), [])

    def test_a_frame_of_events_takes_a_fraction_of_what_reading_its_json_takes(self):
        def seconds(work):
            times = []
            for _ in range(3):
                begin = time.process_time()
                work()
                times.append(time.process_time() - begin)
            return min(times)

        def read_json():  # what HTA does first: about half of its time
            with gzip.open(self.control) as file:
                json.load(file)
        self.assertLess(4 * seconds(lambda: nadi.events(self.control).to_pandas()),
                        seconds(read_json))

    def test_times_are_those_of_the_file(self):
        for trace in self.control, REAL / "dlrm-8gpu" / "device.0.json.gz":
            with gzip.open(trace) as file:
                told = [event for event in json.load(file)["traceEvents"]]
            for row in nadi.events(trace)[["index", "ts", "dur"]].rows():
                event = told[row["index"]]
                self.assertEqual((row["ts"], row["dur"]), (event["ts"], event["dur"]), event)

    def test_an_attribute_is_chosen_as_a_set_is(self):
        frame = nadi.events(self.control, args=["Input Dims"]).to_pandas()
        self.assertIn("input_dims", frame.columns)
        self.assertNotIn("stream", frame.columns)

    def test_the_session_of_the_issue_says_what_the_tool_says(self):
        job, step = nadi.open(self.control), 1011
        with tempfile.TemporaryDirectory() as folder:
            def profile(*options):
                tool("profile", self.control, *options, "--output", folder + "/p.json")
                return json.loads(pathlib.Path(folder, "p.json").read_text())
            told, of_step = profile(), profile("--steps", step)
            tool("replay", self.control, "--scale", "kernel:gemm=0.5", "--report", folder + "/r.json")
            replayed = json.loads(pathlib.Path(folder, "r.json").read_text())
            tool("convert", self.control, "--output", folder + "/g.et")
            graph_file, = pathlib.Path(folder).glob("g*.et")
            shown = json.loads(tool("show", graph_file))["nodes"]
            tool("events", self.control, "--args", "Input Dims", "--output", folder + "/e.csv")
            csv_frame = pandas.read_csv(folder + "/e.csv", keep_default_na=False, low_memory=False)

        def same(table, rows, name):
            self.assertEqual(len(table), len(rows), name)
            for ours, theirs in zip(table.rows(), rows):
                for key, value in theirs.items():
                    if isinstance(value, dict):
                        inner = {one: ours[f"{key[:-2]}ms.{one}"] * 1e6 for one in value}
                        self.assertEqual({one: round(ns) for one, ns in inner.items()}, value)
                    elif key.endswith("_ns") and value is not None:
                        self.assertAlmostEqual(ours[key[:-2] + "ms"], value / 1e6, msg=name)
                    elif not isinstance(value, list):
                        self.assertEqual(ours[key.replace("_ns", "_ms")], value, f"{name}: {key}")
        same(job.steps(), told["steps"], "steps")
        same(job.kernels(step=step).head(10), of_step["kernels"][:10], "kernels")
        same(job.ops().head(10), told["ops"][:10], "ops")
        same(job.collectives(), told["collectives"], "collectives")
        path = job.critical_path(step=step)
        self.assertEqual(round(path.ms * 1e6), of_step["path_ns"])
        self.assertEqual(sorted((row["kind"], row["name"], round(row["ms"] * 1e6))
                                for row in path.by("op").rows()),
                         sorted((row["kind"], row["at"], row["ns"]) for row in of_step["path"]))
        self.assertEqual([round(row["ms"] * 1e6) for row in path.by("rank").rows()],
                         [of_step["path_ns"]])
        self.assertEqual(round(job.what_if({"kernel:gemm": 0.5}).ms * 1e6), replayed["scaled_ns"])
        graph = job.graph(job.ranks[0])
        self.assertEqual(list(graph.nodes["name"]), [node["name"] for node in shown])
        self.assertEqual(graph.nodes["duration_ns"].sum() > 0, True)
        edges = sum(len(set(node.get("dataDeps", [])) | set(node.get("ctrlDeps", []))) for node in shown)
        self.assertEqual(len(graph.edges["source"]), edges)
        self.assertEqual(len(graph.edges["evidence"]), len(graph.edges["target"]))
        frame = nadi.events(self.control, args=["Input Dims"]).to_pandas()
        self.assertEqual(frame.columns.tolist(), csv_frame.columns.tolist())
        for column in frame:
            self.assertEqual(frame[column].astype(csv_frame[column].dtype).tolist(),
                             csv_frame[column].tolist(), column)

    def test_no_call_holds_the_lock_of_python(self):
        job = nadi.open(self.control)
        graph, ticks, is_done = job.graph(), [], threading.Event()

        def tick():  # whenever another thread lets it
            while not is_done.is_set():
                ticks.append(None)
                time.sleep(0)
        self.addCleanup(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(1000)  # s: no thread is made to give the lock
        thread = threading.Thread(target=tick)
        thread.start()

        def lets_others_run(work):
            for _ in range(200):
                before = len(ticks)
                work()
                if len(ticks) > before:
                    return True
            return False
        held = [name for name, work in (
            ("path", job.critical_path), ("graph", lambda: graph._graph.nodes()),
            ("edges", lambda: graph._graph.edges()), ("replay", job.replay),
            ("replay without", lambda: job.replay(inferred="without")))
                if not lets_others_run(work)]
        is_done.set()
        thread.join()
        self.assertEqual(held, [])

    def test_the_session_of_a_notebook(self):
        job = nadi.open(REAL / "dlrm-8gpu")
        self.assertEqual(job.ranks, [0, 1, 2, 3])
        self.assertEqual(job.collectives()["last_rank"][:2].tolist(), [2, 2])
        self.assertGreater(len(job.critical_path().by("rank")), 1)
        self.assertGreater(job.what_if({"comm": 2}).ms, job.replay().ms)
        self.assertEqual(set(job.graph(0).edges["inferred"]), {"recorded", "pattern", "place", "timing"})


if __name__ == "__main__":
    unittest.main()
