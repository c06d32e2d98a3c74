"""DDP and MoE of two processes (of one GPU; NCCL takes them for two hosts)."""
import os, sys
import torch, torch.nn as nn, torch.distributed as dist
import torch.distributed._functional_collectives as funcol
from harness import *

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
kind = sys.argv[1]
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=rank, world_size=world)


def make_ddp(factor):
    torch.manual_seed(1)
    model = nn.Sequential(*[m for _ in range(6) for m in (nn.Linear(1024, 1024), nn.GELU())]).cuda()
    model = nn.parallel.DistributedDataParallel(model, bucket_cap_mb=8)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    x = torch.randn(256, 1024, device="cuda")

    def step():
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        total = loss.detach().clone()
        dist.all_reduce(total)
        return total.item()

    return step


class AllToAll(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, out_splits, in_splits):
        ctx.splits = (in_splits, out_splits)
        out = x.new_empty((sum(out_splits), x.shape[1]))
        dist.all_to_all_single(out, x.contiguous(), out_splits, in_splits)
        return out

    @staticmethod
    def backward(ctx, g):
        in_splits, out_splits = ctx.splits
        out = g.new_empty((sum(in_splits), g.shape[1]))
        work = dist.all_to_all_single(out, g.contiguous(), in_splits, out_splits, async_op=True)
        work.wait()
        return out, None, None


class MoE(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate = nn.Linear(d, 2 * world)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d)) for _ in range(2))
        self.shared = nn.Sequential(nn.Linear(d, 2 * d), nn.SiLU(), nn.Linear(2 * d, d))

    def forward(self, x):
        choice = self.gate(x).softmax(-1).max(-1)
        order = choice.indices.argsort()
        counts = torch.bincount(choice.indices, minlength=2 * world)
        received = torch.empty_like(counts)
        dist.all_to_all_single(received, counts)
        both = torch.stack([counts, received]).view(2, world, 2).sum(-1).tolist()
        there = AllToAll.apply(x[order], both[1], both[0])
        shared = self.shared(x)
        per = received.view(world, 2).tolist()
        pieces, at = [], 0
        for peer in per:
            for e, n in enumerate(peer):
                pieces.append(self.experts[e](there[at:at + n]))
                at += n
        back = AllToAll.apply(torch.cat(pieces), both[0], both[1])
        out = torch.zeros_like(x).index_copy(0, order, back)
        return x + shared + out * choice.values[:, None]


def make_moe(factor):
    torch.manual_seed(1 + rank)
    layers = nn.Sequential(*[MoE(512) for _ in range(3)]).cuda()
    optimizer = torch.optim.SGD(layers.parameters(), lr=1e-3)
    x = torch.randn(1024, 512, device="cuda")

    def step():
        loss = layers(x).pow(2).mean()
        loss.backward()
        for p in layers.parameters():
            if p.grad is not None:
                p.grad = funcol.all_reduce(p.grad, "avg", dist.group.WORLD) if p.numel() > 400_000 else p.grad
        optimizer.step()
        optimizer.zero_grad()

    return step


name = f"{kind}_w{world}.rank{rank}"
with_factors(name, make_ddp if kind == "ddp" else make_moe, factors=(1.0,))
finish(name)
dist.destroy_process_group()
