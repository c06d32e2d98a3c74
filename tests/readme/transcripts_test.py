"""What READMEs show of the tool is what it prints: blocks of "$ command" and its output.

usage: transcripts_test.py NADI [TRACES]: blocks without real traces, or those with them

A line "…" stands for any lines, "in N s" for any time; output of a command is compared where it is shown.
Real traces have the names of their folders, those of resnet-2gpu also the bare host.json.gz and device.json.gz.
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import readme_files

NADI = pathlib.Path(sys.argv[1]).resolve()
TRACES = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
REAL = re.compile(r"(?<![\w/.])(host\.json\.gz|device\.json\.gz|[\w-]+-8gpu|trace-diff/|rocm/)")


def blocks(text):
    """Of each fenced block its commands, each with the lines below it."""
    for block in re.findall(r"^```\n(\$ .*?)^```$", text, re.MULTILINE | re.DOTALL):
        commands = []
        for line in block.replace("\\\n", "").rstrip("\n").split("\n"):
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        yield commands


def make_folder(folder):
    (folder / "tests").symlink_to(readme_files.ROOT / "tests")
    (folder / "build" / "converters").mkdir(parents=True)
    (folder / "build" / "converters" / "nadi").symlink_to(NADI)
    if TRACES:
        for trace in TRACES.glob("*/*"):  # files, so that nothing is ever written beside them
            (folder / trace.parent.name).mkdir(exist_ok=True)
            (folder / trace.parent.name / trace.name).symlink_to(trace)
        for side in "host", "device":
            (folder / f"{side}.json.gz").symlink_to(TRACES / "resnet-2gpu" / f"{side}.json.gz")


def run(command, folder):
    done = subprocess.run(["sh", "-c", f'nadi() {{ "{NADI}" "$@"; }}; {command}'], cwd=folder, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.stdout.rstrip("\n")


def pattern_of(lines):
    pattern = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "…" else re.escape(line) for line in lines)
    return re.sub(r"in\\ \d+\\.\d+\\ s", r"in \\d+\\.\\d+ s", pattern)


class Transcripts(unittest.TestCase):
    maxDiff = None

    def test_are_what_the_tool_prints(self):
        compared = 0
        for path in readme_files.files():
            for commands in blocks(path.read_text()):
                if bool(REAL.search(" ".join(command for command, _ in commands))) != bool(TRACES):
                    continue
                with self.subTest(path=path), tempfile.TemporaryDirectory() as folder:
                    make_folder(pathlib.Path(folder))
                    for command, expected in commands:
                        printed = run(command, folder)
                        if expected and not re.fullmatch(pattern_of(expected), printed):
                            self.assertEqual("\n".join(expected), printed, f"{path}: {command}")
                        compared += bool(expected)
        self.assertGreater(compared, 0)


if __name__ == "__main__":
    if TRACES and not TRACES.exists():
        print("skipped: no real traces beside this repository")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
