"""Reports to look at, made by the tool: of traces as they are, and of one by somebody who means harm."""

import json
import os
import pathlib
import shlex
import subprocess

SAMPLE = pathlib.Path(__file__).resolve().parents[1] / "data" / "ddp-2rank"
REAL = os.environ.get("NADI_REAL_TRACES")  # the folder to make the pages of; else of the sample

BAD_NAME = "</script><img src=x onerror=\"window.hit=1\">'\"\u2028&amp;<b>bold</b>"


def run(*arguments, code=0):
    command = [os.environ["NADI_TOOL"], "-q", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == code, f"{command}: {done.returncode}\n{done.stderr}"


def diff(folder, *arguments, code=0):
    """Two ranks of the sample, or control and test of HTA; the page, and the report it shows."""
    if REAL:
        pair = [f"{REAL}/trace-diff/{side}.json.gz" for side in ("control", "test")]
    else:
        pair = [SAMPLE / f"device.{rank}.json.gz" for rank in (0, 1)]
    page, report = folder / "diff.html", folder / "diff.json"
    run("diff", "--control", pair[0], "--test", pair[1], "--html", page, "--output", report,
        *arguments, code=code)
    return page, json.loads(report.read_text())


def convert(folder):
    """A DDP step of the sample, or of a real ResNet; the page, and the graph."""
    if REAL:
        traces = [f"{REAL}/resnet-2gpu/{side}.json.gz" for side in ("host", "device")]
    else:
        traces = [SAMPLE / f"{side}.0.json.gz" for side in ("host", "device")]
    page = folder / "convert.html"
    run("convert", "--host", traces[0], "--device", traces[1], "--delays", "all", "--output-file",
        folder / "step.et", "--html", page)
    return page, folder / "step.et"


def convert_damaged(folder):
    """A trace that ends early, one that lacks a third of its rows, and one that is whole."""
    def events(launches, rows):
        for i in range(1, launches + 1):
            yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                   "ts": 10 * i, "dur": 2, "args": {"correlation": i}}
            if i <= rows:
                yield {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
                       "ts": 10 * i + 3, "dur": 3,
                       "args": {"device": 0, "stream": 7, "correlation": i}}

    texts = {"cut": json.dumps({"traceEvents": list(events(90, 60))})[:-40],
             "lost": json.dumps({"traceEvents": list(events(90, 60))}),
             "whole": json.dumps({"traceEvents": list(events(90, 87))})}
    pages = []
    for name, text in texts.items():
        (folder / f"{name}.json").write_text(text)
        pages.append(folder / f"{name}.html")
        run("convert", "--device", folder / f"{name}.json", "--output-file", folder / f"{name}.et",
            "--html", pages[-1], "--delays", "none")
    return pages


def replay(folder, graph):
    page = folder / "replay.html"
    run("replay", graph, "--scale", "kernels=0.5", "--html", page)
    return page


def what_if(folder):
    """Of a graph that was scaled: the pages of its conversion, its replay and its profile."""
    pages = [folder / f"{verb}.html" for verb in ("convert", "replay", "profile")]
    run("convert", *(SAMPLE / f"{side}.0.json.gz" for side in ("host", "device")), "--delays", "all",
        "--output", folder / "scaled", "--scale", "kernels=2", "--html", pages[0])
    run("replay", folder / "scaled.0.et", "--html", pages[1])
    run("profile", folder / "scaled.0.et", "--output", pages[2])
    return pages


def convert_graphs(folder):
    """A job made of graphs that nobody recorded, as they would run with other kernels."""
    run("generate", "data-parallel", "--npus", 2, "--layers", 1, "--output", folder / "step")
    page = folder / "graphs.html"
    run("convert", *sorted(folder.glob("step.*.et")), "--target", "astra-sim", "--scale", "kernels=2",
        "--world", "4,8", "--output", folder / "job", "--html", page)
    return page


def replay_generated(folder):
    """Of graphs that nobody ran: nothing was measured."""
    run("generate", "pipeline", "--npus", 12, "--pipeline", 12, "--layers", 12, "--output",
        folder / "step")
    page = folder / "generated.html"
    run("replay", *sorted(folder.glob("step.*.et")), "--html", page)
    return page


def profile(folder):
    """Two ranks of the sample, or a real job of four."""
    traces = ([f"{REAL}/dlrm-8gpu/device.{rank}.json.gz" for rank in range(4)] if REAL else
              [SAMPLE / f"device.{rank}.json.gz" for rank in (0, 1)])
    page = folder / "profile.html"
    run("profile", *traces, "--output", page)
    return page


def run_shown(command, folder):
    """Runs a command as a page shows it, and returns the picture that it draws, as DOT."""
    words = shlex.split(command)
    assert words[0] == "nadi" and words[-2] == "--output", command
    run(*words[1:-1], folder / "shown.dot")
    return (folder / "shown.dot").read_text()


def short_collectives(folder):
    """Profiles of a stream full of kernels: one collective among them, and one behind each."""
    def events(collectives):
        for i in range(4000):
            names = ["gemm"] + (["ncclDevKernel_AllReduce_Sum_f32_RING_LL"] if i in collectives else [])
            for place, name in enumerate(names):
                correlation, ts = 2 * i + place + 1, 100 * i + 90 * place
                yield {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
                       "ts": ts + 2 * place, "dur": 1, "args": {"correlation": correlation}}
                yield {"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": ts + 5,
                       "dur": 4 if place else 88,
                       "args": {"device": 0, "stream": 7, "correlation": correlation,
                                **({"Collective name": "allreduce", "Group size": 2} if place else {})}}

    pages = []
    for name, collectives in (("one", [2000]), ("many", range(4000))):
        (folder / f"{name}.json").write_text(json.dumps({"traceEvents": list(events(collectives))}))
        pages.append(folder / f"{name}.html")
        run("profile", folder / f"{name}.json", "--output", pages[-1])
    return pages


def hostile(folder):
    """All pages of a trace whose names are markup."""
    events = [
        {"ph": "X", "cat": "cpu_op", "name": BAD_NAME, "pid": 4, "tid": 4, "ts": 10, "dur": 20,
         "args": {"External id": 1, "Record function id": 7, "Input Dims": [[BAD_NAME]],
                  "Input type": [BAD_NAME]}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 4, "tid": 4, "ts": 12,
         "dur": 2, "args": {"External id": 1, "correlation": 5}},
        {"ph": "X", "cat": "kernel", "name": BAD_NAME, "pid": 0, "tid": 7, "ts": 20, "dur": 5,
         "args": {"External id": 1, "device": 0, "stream": 7, "correlation": 5}},
    ]
    trace, other = folder / "</script>bad.json", folder / "other.json"
    trace.parent.mkdir(parents=True, exist_ok=True)
    trace.write_text(json.dumps({"traceEvents": events}))
    events[0]["args"]["Input Dims"] = [[2]]
    other.write_text(json.dumps({"traceEvents": events[:1]}))
    pages = [folder / f"hostile.{kind}.html" for kind in ("diff", "convert", "replay", "profile")]
    run("diff", "--control", trace, "--test", other, "--html", pages[0], "--output",
        folder / "hostile.csv", "--fail-if", "deleted>0", code=1)
    run("convert", "--device", trace, "--output-file", folder / "hostile.et", "--html", pages[1])
    run("replay", folder / "hostile.et", "--html", pages[2])
    run("profile", trace, "--output", pages[3])
    return pages
