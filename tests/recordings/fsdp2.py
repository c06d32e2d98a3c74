"""FSDP2: blocks and root fully sharded; spinning kernels in each block's forward and backward."""
import os, sys
import torch, torch.nn as nn, torch.distributed as dist
from torch.distributed.fsdp import fully_shard, CPUOffloadPolicy, MixedPrecisionPolicy
from harness import *

rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
variant = sys.argv[1] if len(sys.argv) > 1 else "plain"
torch.cuda.set_device(0)
dist.init_process_group("nccl", rank=rank, world_size=world, device_id=torch.device("cuda:0") if world == 1 else None)
CYCLES = 2_400_000 if world == 1 else 20_000


class Block(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.norm = nn.LayerNorm(d)
        self.qkv = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)
        self.up = nn.Linear(d, 4 * d)
        self.down = nn.Linear(4 * d, d)
        self.cycles = 0

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(self.norm(x)).view(b, t, 3, 8, d // 8).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, d))
        x = Spin.apply(x, self.cycles)
        return x + self.down(nn.functional.gelu(self.up(x)))


class Model(nn.Module):
    def __init__(self, d, n, vocab=4096):
        super().__init__()
        self.embed = nn.Embedding(vocab, d)
        self.blocks = nn.ModuleList(Block(d) for _ in range(n))
        self.head = nn.Linear(d, vocab)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def make(factor):
    torch.manual_seed(1)
    d, n = (1024, 5) if world == 1 else (512, 4)
    model = Model(d, n).cuda() if variant != "offload" else Model(d, n)
    kw = {"mp_policy": MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)}
    if variant == "offload":
        kw["offload_policy"] = CPUOffloadPolicy()
    for block in model.blocks:
        block.cycles = CYCLES * factor
        fully_shard(block, **kw)
    fully_shard(model, **kw)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    data = torch.randint(0, 4096, (8, 4, 256), pin_memory=True)
    count = [0]

    def step():
        batches = 2 if variant == "accumulate" else 1
        for k in range(batches):
            x = data[count[0] % 8].cuda(non_blocking=True)
            count[0] += 1
            if variant == "accumulate":
                model.set_requires_gradient_sync(k == batches - 1)
            out = model(x)
            loss = nn.functional.cross_entropy(out.flatten(0, 1).float(), x.flatten())
            loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


name = f"fsdp2_{variant}_w{world}" + (f".rank{rank}" if world > 1 else "")
with_factors(name, make, factors=(1.0, 0.5, 2.0) if world == 1 else (1.0,))
finish(name)
dist.destroy_process_group()
