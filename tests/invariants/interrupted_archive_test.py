"""Interrupts `nadi convert --traces`, runs it again, and compares all files with those of a run that
nothing disturbed.

usage: interrupted_archive_test.py [CLASS...], with the tool in NADI_TOOL and half_write in
NADI_HALF_WRITE. NADI_KILLS: how often runs are killed (default: 40).
"""
import base64
import gzip
import io
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

TOOL = os.environ["NADI_TOOL"]
HALF_WRITE = os.environ.get("NADI_HALF_WRITE", "")
KILLS = int(os.environ.get("NADI_KILLS", "40"))
DATA = pathlib.Path(__file__).resolve().parent.parent / "data" / "ddp-2rank"
RANKS_OF_PAIR = pathlib.Path(__file__).resolve().parent.parent / "bench" / "archive_ranks.py"
OUTPUT = "out"  # the folder of all that the tool writes, inside the one it runs in


def traces_of_ranks(ranks):
    """Names and bytes: ranks 0 and 1 of the sample data under other ranks and processes."""
    sample = [[gzip.decompress((DATA / f"{kind}.{rank}.json.gz").read_bytes())
               for kind in ("host", "device")] for rank in (0, 1)]
    for rank in range(ranks):
        host, device = sample[rank % 2]
        process, own_process = re.search(rb'"pid": \d+', host)[0], b'"pid": %d' % (40000 + rank)
        yield f"host.{rank}.json", host.replace(process, own_process)
        yield f"device.{rank}.json", re.sub(
            rb'("distributedInfo": \{[^}]*"rank":)\d+', rb"\g<1>%d" % rank,
            device.replace(process, own_process))


def hosts_first(traces, random_source):
    """Before all device traces, and each with 4 MB that no packing makes smaller."""
    for name, text in traces[::2]:
        noise = random_source.randbytes(3 << 20)
        yield name, text.rstrip()[:-1] + b', "noise": "' + base64.b64encode(noise) + b'"}'
    yield from traces[1::2]


def write_folder(path, traces):
    path.mkdir()
    for name, text in traces:
        (path / name).write_bytes(text)
    return path


def write_tar(path, traces):
    with tarfile.open(path, "w:gz", compresslevel=1) as archive:
        for name, text in traces:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(text), 1700000000
            archive.addfile(info, io.BytesIO(text))
    return path


def files_in(folder):
    """Bytes by name, hidden files too."""
    return {str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
            for path in folder.rglob("*")}


def manifest_lines(text):
    """What a manifest tells but for times, by rank; a line that is cut tells nothing."""
    lines = {}
    for line in text.split(b"\n")[:-1]:
        try:
            record = json.loads(line)
            record.pop("seconds")
        except (ValueError, AttributeError):
            continue
        record["output"].pop("modified_ns")
        lines[record["rank"]] = record
    return lines


class InterruptedArchive(unittest.TestCase):
    manifest = "x.manifest.jsonl"
    graph = "x.{}.et"  # of a rank

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="nadi_test_")
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.random = random.Random(1)
        self.options = []
        self.count = 0

    def new_folder(self):
        self.count += 1
        folder = self.folder / f"run{self.count}"
        folder.mkdir()
        return folder

    def start(self, folder, source, environment=None):
        command = [TOOL, "convert", "--quiet", "--traces", source, "--output", f"{OUTPUT}/x",
                   "--report", f"{OUTPUT}/report.json", *self.options]
        return subprocess.Popen(command, cwd=folder, env={**os.environ, **(environment or {})},
                                stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)

    def run_to_end(self, folder, source):
        run = self.start(folder, source)
        _, error = run.communicate()
        self.assertEqual(run.returncode, 0, error.decode())

    def undisturbed(self, source):
        """The folder of its files, and how many seconds it took."""
        folder = self.new_folder()
        begin = time.monotonic()
        self.run_to_end(folder, source)
        seconds = time.monotonic() - begin
        self.told = {rank: line for rank, (line, _) in self.done_in(folder).items()}
        return folder / OUTPUT, seconds

    def done_in(self, folder):
        """By rank, of those that the manifest has a line of: the line, and when the graph was
        written."""
        path = folder / OUTPUT / self.manifest
        lines = manifest_lines(path.read_bytes()) if path.exists() else {}
        return {rank: (line, (folder / OUTPUT / self.graph.format(rank)).stat().st_mtime_ns)
                for rank, line in lines.items()}

    def expect_sound(self, folder, reference, before):
        """What was interrupted left no half of a graph, its manifest tells no lie, and what was done
        before was not done again; returns what is done now."""
        for path in (folder / OUTPUT).glob(self.graph.format("*")):
            expected = reference / path.relative_to(folder / OUTPUT)
            self.assertTrue(path.read_bytes() == expected.read_bytes(), path)
        done = self.done_in(folder)
        self.assertEqual({rank: done.get(rank) for rank in before}, before)
        self.assertEqual({rank: line for rank, (line, _) in done.items()},
                         {rank: self.told[rank] for rank in done})
        return done

    def expect_same(self, folder, reference):
        files, expected = files_in(folder / OUTPUT), files_in(reference)
        self.assertEqual(sorted(files), sorted(expected))
        manifest, told = files.pop(self.manifest), expected.pop(self.manifest)
        self.assertEqual(list(manifest_lines(manifest).items()), list(manifest_lines(told).items()))
        self.assertEqual(manifest.count(b"\n"), told.count(b"\n"))
        for name, text in expected.items():
            self.assertTrue(files[name] == text, name)

    def kill_until_done(self, source, reference, start_and_kill, most_kills):
        """Runs the same command again and again, each killed, in a folder; returns how many were
        killed before the last ended by itself."""
        folder, done = self.new_folder(), {}
        for kills in range(most_kills + 1):
            is_killed = kills < most_kills and start_and_kill(folder, len(done))
            if kills == most_kills:
                self.run_to_end(folder, source)
            done = self.expect_sound(folder, reference, done)
            if not is_killed:
                break
            self.amid += 0 < len(done) < self.ranks
        self.expect_same(folder, reference)
        return kills


class ManyRanks(InterruptedArchive):
    ranks = 200

    def setUp(self):
        super().setUp()
        self.amid = 0  # runs that ended with a part of the ranks done
        traces = list(traces_of_ranks(self.ranks))
        self.sources = [write_tar(self.folder / "traces.tar.gz", traces),
                        write_folder(self.folder / "traces", traces)]


class Killed(ManyRanks):
    def test_runs_killed_at_any_moment_lose_nothing_and_leave_nothing(self):
        for source in self.sources:
            def start_and_kill(folder, done):
                run = self.start(folder, source)
                try:
                    run.wait(self.random.uniform(0, seconds * (1 - 0.8 * done / self.ranks)))
                except subprocess.TimeoutExpired:
                    run.kill()
                _, error = run.communicate()
                self.assertIn(run.returncode, (0, -signal.SIGKILL), error.decode())
                return run.returncode != 0

            kills = self.amid = 0
            while kills < KILLS // len(self.sources) or self.amid <= KILLS // 16:
                # Again each time: other programs may have made the machine slower or faster.
                reference, seconds = self.undisturbed(source)
                kills += self.kill_until_done(source, reference, start_and_kill, 8)
                self.assertLess(kills, 20 * KILLS, "they are never killed amid their ranks")


NEEDS_HALF_WRITE = unittest.skipIf(
    not HALF_WRITE, "a sanitizer's runtime must be loaded first, not half_write")


@NEEDS_HALF_WRITE
class KilledInsideAWrite(ManyRanks):
    def kill_inside_writes(self, source, reference, moments):
        """A moment is a part of a file's path, and a number of writes to such files."""
        left = iter(moments)

        def start_and_kill(folder, _):
            part, count = next(left)
            environment = {"LD_PRELOAD": HALF_WRITE, "NADI_KILL_AT": str(count)}
            if part:
                environment["NADI_KILL_IN"] = part
            run = self.start(folder, source, environment)
            _, error = run.communicate()
            self.assertEqual(run.returncode, -signal.SIGKILL, (part, count, error.decode()))
            return True

        kills = self.kill_until_done(source, reference, start_and_kill, len(moments))
        self.assertEqual(kills, len(moments))

    def test_runs_killed_inside_a_write_lose_nothing_and_leave_nothing(self):
        moments = [("", self.random.randint(1, self.ranks // 2)) for _ in range(3)]
        moments += [(".et.", 1), (".et.", 20), ("/x.manifest.jsonl", 1), ("/x.manifest.jsonl", 30),
                    ("/.x.manifest.jsonl.", 1), ("/.x.manifest.jsonl.", 2), ("/.report.json.", 1),
                    ("/.report.json.", 3)]
        for source in self.sources:
            reference, _ = self.undisturbed(source)
            self.kill_inside_writes(source, reference, moments)

    def test_traces_that_wait_on_disk_go_with_the_next_run(self):
        self.ranks, self.options = 4, ["--memory", "48M"]
        traces = hosts_first(list(traces_of_ranks(self.ranks)), self.random)
        source = write_tar(self.folder / "waiting.tar.gz", traces)
        reference, _ = self.undisturbed(source)
        self.kill_inside_writes(source, reference, [("/.x.spool.", 1), ("/.x.spool.", 9)])

    def test_what_a_restart_began_goes_with_the_next_run_of_any_kind(self):
        source = self.sources[1]
        reference, _ = self.undisturbed(source)
        folder = self.new_folder()
        self.run_to_end(folder, source)
        self.options = ["--restart"]
        run = self.start(folder, source, {"LD_PRELOAD": HALF_WRITE, "NADI_KILL_AT": "9",
                                          "NADI_KILL_IN": ".et."})
        run.communicate()
        self.assertEqual(run.returncode, -signal.SIGKILL)
        self.options = []
        self.run_to_end(folder, source)
        self.expect_same(folder, reference)


@NEEDS_HALF_WRITE
class KilledJob(KilledInsideAWrite):
    """Of a job for a simulator, ranks are converted first, and then its files are written."""
    manifest = "x.recorded/rank.manifest.jsonl"
    graph = "x.recorded/rank.{}.et.zst"

    def setUp(self):
        InterruptedArchive.setUp(self)
        self.amid = 0
        self.options = ["--target", "astra-sim"]
        self.sources = [self.folder / "traces.tar", self.folder / "traces"]
        pair = [DATA / "host.0.json.gz", DATA / "device.0.json.gz"]
        for source in self.sources:
            subprocess.run([sys.executable, RANKS_OF_PAIR, *pair, str(self.ranks), source], check=True)

    def test_runs_killed_inside_a_write_lose_nothing_and_leave_nothing(self):
        moments = [(".zst.", 1), (".zst.", 30), ("/rank.manifest.jsonl", 20), (".parts/.out.0.et.", 1),
                   (".parts/.out.150.et.", 1), (".parts/.out.comm_groups.json.", 1), ("/.report.json.", 2)]
        for source in self.sources:
            reference, _ = self.undisturbed(source)
            self.kill_inside_writes(source, reference, moments)

    test_traces_that_wait_on_disk_go_with_the_next_run = None
    test_what_a_restart_began_goes_with_the_next_run_of_any_kind = None


class TwoAtATime(ManyRanks):
    def test_two_runs_of_a_command_at_a_time_spoil_nothing(self):
        for source in self.sources:
            reference, _ = self.undisturbed(source)
            folder = self.new_folder()
            runs = [self.start(folder, source) for _ in range(2)]
            errors = [run.communicate()[1].decode() for run in runs]
            self.assertIn(0, [run.returncode for run in runs], errors)
            done = self.expect_sound(folder, reference, {})
            self.assertEqual(len(done), self.ranks)
            self.run_to_end(folder, source)
            self.expect_sound(folder, reference, done)
            self.expect_same(folder, reference)


class FullDisk(InterruptedArchive):
    PAGE = 4096

    def mount(self, path, size):
        path.mkdir()
        command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", path]
        mounted = subprocess.run(command, stderr=subprocess.PIPE, text=True)
        if mounted.returncode != 0:
            self.skipTest("no small disk can be mounted: " + mounted.stderr.strip())
        self.addCleanup(subprocess.run, ["umount", path], check=True)

    def enlarge(self, path):
        subprocess.run(["mount", "-o", "remount,size=64m", path], check=True)

    def expect_full(self, folder, source):
        run = self.start(folder, source)
        _, error = run.communicate()
        self.assertEqual(run.returncode, 3, error.decode())
        self.assertRegex(error.decode(), "No space left on device.*(free space|Make room)")

    def test_a_run_on_a_full_disk_says_so_and_goes_on_where_there_is_room(self):
        source = write_folder(self.folder / "traces", traces_of_ranks(40))
        reference, _ = self.undisturbed(source)
        pages = {name: -(-len(text) // self.PAGE) for name, text in files_in(reference).items()}
        manifest, report = pages["x.manifest.jsonl"], pages["report.json"]
        # When the manifest is put in order it is there twice; then comes the report.
        peak = sum(pages.values()) - report + max(manifest, report)
        for share in (0.01, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 0.96, 0.99):
            with self.subTest(share=share):
                folder = self.new_folder()
                disk = folder / OUTPUT
                self.mount(disk, int(share * peak) * self.PAGE)
                self.expect_full(folder, source)
                done = self.expect_sound(folder, reference, {})
                self.assertEqual([name for name in files_in(disk) if name.startswith(".")], [])
                self.enlarge(disk)
                self.run_to_end(folder, source)
                self.expect_sound(folder, reference, done)
                self.expect_same(folder, reference)

    def test_a_full_disk_under_waiting_traces_is_no_other_case(self):
        disk = self.folder / "spool"
        self.options = ["--memory", "48M", "--spool", str(disk)]
        traces = hosts_first(list(traces_of_ranks(4)), self.random)
        source = write_tar(self.folder / "waiting.tar.gz", traces)
        self.mount(disk, 2 << 20)
        folder = self.new_folder()
        self.expect_full(folder, source)
        self.assertEqual((files_in(disk), files_in(folder)), ({}, {OUTPUT: None}))
        self.enlarge(disk)
        self.run_to_end(folder, source)
        reference, _ = self.undisturbed(source)
        self.expect_same(folder, reference)
        self.assertEqual(files_in(disk), {})


if __name__ == "__main__":
    unittest.main(verbosity=2)
