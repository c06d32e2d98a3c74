"""Inference servers: vLLM's order of calls with a graph per batch size, and SGLang's with a scheduler
and a worker thread."""
import queue, sys, threading
import torch, torch.nn as nn
from harness import *

kind = sys.argv[1]
torch.set_grad_enabled(False)
D, V, LAYERS, MAX = 1024, 8192, 4, 32
CYCLES = 600_000


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b, self.norm = nn.Linear(D, 4 * D), nn.Linear(4 * D, D), nn.LayerNorm(D)

    def forward(self, x):
        return x + self.b(nn.functional.silu(self.a(self.norm(x))))


class Model(nn.Module):
    def __init__(self, cycles):
        super().__init__()
        self.embed = nn.Embedding(V, D)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.head = nn.Linear(D, V)
        self.cycles = cycles

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
            sleep(self.cycles / LAYERS)
        return self.head(x)


def make_vllm(factor):
    torch.manual_seed(1)
    model = Model(CYCLES * factor).cuda().half()
    ids = torch.zeros(MAX, dtype=torch.long, device="cuda")
    positions = torch.zeros(MAX, dtype=torch.long, device="cuda")
    pinned = [torch.zeros(MAX, dtype=torch.long, pin_memory=True) for _ in range(2)]
    graphs, outputs = {}, {}
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for _ in range(2):
            model(ids)
    torch.cuda.synchronize()
    for size in (8, 16, 32):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            outputs[size] = model(ids[:size])
        graphs[size] = graph
    copy_stream = torch.cuda.Stream()
    prepared = torch.cuda.Event()
    prepared.record()
    todo, done = queue.Queue(), queue.Queue()

    def output_thread():
        while True:
            item = todo.get()
            if item is None:
                return
            event, host, size = item
            event.synchronize()
            done.put([int(t) + 1 for t in host[:size].tolist()])

    threading.Thread(target=output_thread, daemon=True).start()
    state = {"n": 0, "waiting": 0, "tokens": [1] * MAX}

    def one():
        n = state["n"]
        state["n"] += 1
        size = (8, 32, 16)[n % 3]
        prepared.synchronize()
        for buffer in pinned:
            buffer.numpy()[:size] = (state["tokens"][0] + n) % V
        ids[:size].copy_(pinned[0][:size], non_blocking=True)
        positions[:size].copy_(pinned[1][:size], non_blocking=True)
        positions[:size].add_(1)
        prepared.record()
        graphs[size].replay()
        token = outputs[size].argmax(-1)
        host = torch.empty(size, dtype=torch.long, pin_memory=True)
        copy_stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(copy_stream):
            host.copy_(token, non_blocking=True)
            ready = torch.cuda.Event()
            ready.record()
        token.record_stream(copy_stream)
        todo.put((ready, host, size))
        state["waiting"] += 1
        if state["waiting"] == 2:  # the step before: one step late
            state["tokens"] = done.get()
            state["waiting"] -= 1

    def step():
        for _ in range(6):
            one()

    return step


def make_sglang(factor):
    torch.manual_seed(1)
    model = Model(CYCLES * factor).cuda().half()
    schedule_stream, forward_stream, copy_stream = (torch.cuda.Stream() for _ in range(3))
    batches, results = queue.Queue(), queue.Queue()

    def worker():
        torch.set_grad_enabled(False)
        with torch.cuda.stream(forward_stream):
            while True:
                item = batches.get()
                if item is None:
                    return
                ids, ready = item
                forward_stream.wait_event(ready)
                token = model(ids).argmax(-1)
                copied = torch.cuda.Event()
                host = torch.empty(token.shape, dtype=token.dtype, pin_memory=True)
                host.copy_(token, non_blocking=True)
                copied.record()
                results.put((copied, host, token))

    threading.Thread(target=worker, daemon=True).start()
    state = {"n": 0, "waiting": 0}
    torch.cuda.synchronize()

    def one():
        n = state["n"]
        state["n"] += 1
        with torch.cuda.stream(schedule_stream):
            ids = torch.full((16,), n % V, dtype=torch.long).pin_memory().cuda(non_blocking=True)
            ids = (ids * 3 + 1) % V
            ready = torch.cuda.Event()
            ready.record()
            batches.put((ids, ready))
            state["waiting"] += 1
            if state["waiting"] == 2:
                copied, host, _ = results.get()
                if kind == "sglang_query":
                    while not copied.query():
                        time.sleep(0.00002)
                else:
                    copied.synchronize()
                host.tolist()
                state["waiting"] -= 1

    def step():
        for _ in range(6):
            one()

    return step


make = make_vllm if kind == "vllm" else make_sglang
with_factors(kind, make)
if kind != "vllm":
    record(f"{kind}.f1.0.allthreads", make(1.0), sync=True, all_threads=True)
finish(kind)
