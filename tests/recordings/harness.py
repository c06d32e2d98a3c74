"""Harness: records a step function with the profiler and the execution trace observer."""
import gzip
import json
import os
import shutil
import time

import torch
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

OUT = os.environ.get("REC_OUT", "/tmp/rec")
os.makedirs(OUT, exist_ok=True)
LONGER = float(os.environ.get("REC_LONGER", 1))
TIMES = {}


def sleep(cycles):
    if cycles > 0:
        torch.cuda._sleep(int(cycles * LONGER))


class Spin(torch.autograd.Function):
    """Passes its input on after a kernel that spins so long, twice as long in backward."""

    @staticmethod
    def forward(ctx, x, cycles):
        ctx.cycles = cycles
        sleep(cycles)
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        sleep(2 * ctx.cycles)
        return g, None


def timed(step, n=12):
    """Unprofiled seconds of each of n steps, after warming up for half a second."""
    end = time.perf_counter() + 0.5
    while time.perf_counter() < end and int(os.environ.get("WORLD_SIZE", 1)) == 1:
        step()
    for _ in range(4):
        step()
    torch.cuda.synchronize()
    times = []
    for _ in range(n):
        t = time.perf_counter()
        step()
        times.append(time.perf_counter() - t)
    torch.cuda.synchronize()
    return times


def record(name, step, sync=True, warm=3, active=3, shapes=True, all_threads=False, host=True, **more):
    """Writes OUT/name.device.json.gz and OUT/name.host.json.gz."""
    config = torch._C._profiler._ExperimentalConfig(
        enable_cuda_sync_events=sync, profile_all_threads=all_threads)
    host_path = f"{OUT}/{name}.host.json"
    observer = None
    if host:
        observer = ExecutionTraceObserver().register_callback(host_path)
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=shapes,
                 schedule=schedule(wait=0, warmup=warm, active=active, repeat=1),
                 execution_trace_observer=observer, experimental_config=config, **more,
                 on_trace_ready=lambda p: p.export_chrome_trace(f"{OUT}/{name}.device.json")) as prof:
        for _ in range(warm + active):
            step()
            prof.step()
    if observer:
        try:
            observer.unregister_callback()
        except Exception as error:
            print("unregister", error)
    torch.cuda.synchronize()
    for kind in ("device", "host"):
        path = f"{OUT}/{name}.{kind}.json"
        if name.endswith(".first"):  # the profiler's first session is slow
            if os.path.exists(path):
                os.remove(path)
            continue
        if os.path.exists(path):
            with open(path, "rb") as a, gzip.open(path + ".gz", "wb", 6) as b:
                shutil.copyfileobj(a, b)
            os.remove(path)


def with_factors(name, make_step, factors=(1.0, 0.5, 2.0), **kw):
    """Records make_step(factor) with each factor of the spinning kernels, factor 1 also with the
    profiler's defaults; tells the unprofiled times of steps."""
    for factor in factors:
        step = make_step(factor)
        if factor == factors[0]:
            record(f"{name}.first", step, sync=True, warm=1, active=1, host=False)
        TIMES[f"{name}.f{factor}"] = timed(step)
        record(f"{name}.f{factor}.sync", step, sync=True, **kw)
        if factor == 1.0:
            record(f"{name}.f{factor}.default", step, sync=False, **kw)


def finish(name):
    with open(f"{OUT}/{name}.times.json", "w") as file:
        json.dump(TIMES, file, indent=1)
    print(name, {k: round(1e3 * sorted(v)[len(v) // 2], 3) for k, v in TIMES.items()})
