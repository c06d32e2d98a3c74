"""Time and memory of MLCommons' linker and converter, one after the other, beside those of nadi convert.

usage: mlcommons.py FOLDER NADI [HOST DEVICE]
FOLDER: of the programs chakra_trace_link and chakra_converter (pip install of github.com/mlcommons/chakra)
HOST, DEVICE: default: the pair of ../shared/traces/resnet-2gpu
Prints the medians of three runs; memory is the larger of both tools'.
"""

import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUNS = 3


def run(*command):
    """Seconds, and MB of 10^6 bytes."""
    begin = time.monotonic()
    child = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"failed: {command}")
    return time.monotonic() - begin, usage.ru_maxrss * 1024 / 1e6


def medians(runs):
    return [statistics.median(figures) for figures in zip(*runs)]


def main(tools, nadi, *pair):
    host, device = pair or [ROOT.parent / "shared/traces/resnet-2gpu" / f"{side}.json.gz" for side in ("host", "device")]
    tools = pathlib.Path(tools)
    with tempfile.TemporaryDirectory() as folder:
        linked, graph = f"{folder}/linked.json", f"{folder}/graph.et"
        links, converts, ours = [], [], []
        for _ in range(RUNS):
            links.append(run(tools / "chakra_trace_link", "--rank", 0, "--chakra-host-trace", host,
                             "--chakra-device-trace", device, "--output-file", linked))
            converts.append(run(tools / "chakra_converter", "PyTorch", "--input", linked, "--output", graph))
            ours.append(run(nadi, "-q", "convert", "--host", host, "--device", device, "--output-file", graph))
    (link, link_mb), (convert, convert_mb), (seconds, mb) = map(medians, (links, converts, ours))
    print(f"MLCommons {link:.1f} s + {convert:.1f} s, {max(link_mb, convert_mb):.0f} MB; nadi {seconds:.2f} s, {mb:.0f} MB")


main(*sys.argv[1:])
