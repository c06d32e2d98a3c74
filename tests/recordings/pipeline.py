"""Two stages of a pipeline, 1F1B, by torch.distributed.pipelining; and hybrid FSDP2 on four ranks."""
import os, sys
import torch, torch.nn as nn, torch.distributed as dist
from harness import *

rank, world = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
kind = sys.argv[1]
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=rank, world_size=world)
D = 512


def make_pipeline(factor):
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B
    torch.manual_seed(1)
    part = nn.Sequential(*[m for _ in range(3) for m in (nn.Linear(D, D), nn.GELU())]).cuda()
    x = torch.randn(256, D, device="cuda")
    target = torch.randn(256, D, device="cuda")
    stage = PipelineStage(part, rank, world, torch.device("cuda:0"), input_args=(x[:64],))
    schedule = Schedule1F1B(stage, n_microbatches=4, loss_fn=nn.functional.mse_loss)
    optimizer = torch.optim.SGD(part.parameters(), lr=1e-3)

    def step():
        if rank == 0:
            schedule.step(x)
        else:
            losses = []
            schedule.step(target=target, losses=losses)
            losses[-1].item()
        optimizer.step()
        optimizer.zero_grad()

    return step


def make_hybrid(factor):
    from torch.distributed.device_mesh import init_device_mesh
    from torch.distributed.fsdp import fully_shard
    torch.manual_seed(1)
    mesh = init_device_mesh("cuda", (2, 2), mesh_dim_names=("replicate", "shard"))
    model = nn.Sequential(*[nn.Sequential(nn.Linear(D, D), nn.GELU()) for _ in range(3)]).cuda()
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(64, D, device="cuda")

    def step():
        loss = model(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


name = f"{kind}_w{world}.rank{rank}"
with_factors(name, make_pipeline if kind == "pipeline" else make_hybrid, factors=(1.0,))
finish(name)
dist.destroy_process_group()
