"""Activations copied out and in on side streams; gradients to the host, where a thread updates."""
import queue, threading
import torch, torch.nn as nn
from harness import *

D, N = 2048, 4
CYCLES = 1_200_000


def make(factor):
    torch.manual_seed(1)
    layers = [nn.Linear(D, D).cuda() for _ in range(N)]
    out_stream, in_stream = torch.cuda.Stream(), torch.cuda.Stream()
    grads = [torch.empty(D, D, pin_memory=True) for _ in range(N)]
    master = [l.weight.detach().cpu().pin_memory() for l in layers]
    todo, done = queue.Queue(), queue.Queue()

    def cpu_optimizer():
        torch.set_num_threads(4)
        while True:
            item = todo.get()
            if item is None:
                return
            k, event = item
            event.synchronize()
            with torch.no_grad():
                master[k].add_(grads[k], alpha=-1e-4)
                with torch.cuda.stream(in_stream):
                    layers[k].weight.data.copy_(master[k], non_blocking=True)
                    copied = torch.cuda.Event()
                    copied.record()
            done.put(copied)

    threading.Thread(target=cpu_optimizer, daemon=True).start()

    def pack(t):
        if t.numel() < 100_000 or t.shape[0] == t.shape[1]:
            return t
        ready = torch.cuda.Event()
        ready.record()
        out_stream.wait_event(ready)
        with torch.cuda.stream(out_stream):
            host = torch.empty(t.shape, dtype=t.dtype, pin_memory=True)
            host.copy_(t, non_blocking=True)
            t.record_stream(out_stream)
            gone = torch.cuda.Event()
            gone.record()
        return (host, gone)

    def unpack(item):
        if isinstance(item, torch.Tensor):
            return item
        host, gone = item
        in_stream.wait_event(gone)
        with torch.cuda.stream(in_stream):
            t = host.to("cuda", non_blocking=True)
            back = torch.cuda.Event()
            back.record()
        torch.cuda.current_stream().wait_event(back)
        t.record_stream(torch.cuda.current_stream())
        return t

    x0 = torch.randn(1024, D, device="cuda")

    def step():
        with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
            x = x0
            for layer in layers:
                x = torch.relu(layer(Spin.apply(x, CYCLES * factor)))
            loss = x.pow(2).mean()
        loss.backward()
        with torch.no_grad():
            for k in reversed(range(N)):
                ready = torch.cuda.Event()
                ready.record()
                out_stream.wait_event(ready)
                with torch.cuda.stream(out_stream):
                    grads[k].copy_(layers[k].weight.grad, non_blocking=True)
                    event = torch.cuda.Event()
                    event.record()
                todo.put((k, event))
        for _ in range(N):
            torch.cuda.current_stream().wait_event(done.get())
        for layer in layers:
            layer.weight.grad = None
            layer.bias.grad = None

    return step


with_factors("offload", make)
finish("offload")
