"""Compiled training with CUDA graph trees, compiled training without, a language model's generate(),
vision training with a data loader and automatic mixed precision."""
import sys
import torch, torch.nn as nn
from harness import *

kind = sys.argv[1]


def make_compiled(mode):
    torch.manual_seed(1)
    model = nn.Sequential(*[m for _ in range(4) for m in (nn.Linear(1024, 1024), nn.LayerNorm(1024), nn.GELU())]).cuda()
    run = torch.compile(model, mode=mode)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    x = torch.randn(512, 1024, device="cuda")

    def step():
        if mode == "reduce-overhead":
            torch.compiler.cudagraph_mark_step_begin()
        loss = run(x).pow(2).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


def make_generate():
    from transformers import GPT2Config, GPT2LMHeadModel
    model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=512, n_head=8)).cuda().half().eval()
    ids = torch.randint(0, 1000, (4, 32), device="cuda")

    @torch.no_grad()
    def step():
        model.generate(ids, max_new_tokens=8, do_sample=False, pad_token_id=0)

    return step


class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, k):
        return torch.full((3, 96, 96), float(k % 7)), k % 10


def make_vision():
    from torchvision.models import resnet18
    model = resnet18(num_classes=10).cuda().to(memory_format=torch.channels_last)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    scaler = torch.amp.GradScaler()
    loader = iter(torch.utils.data.DataLoader(Data(), batch_size=64, num_workers=4, pin_memory=True))

    def step():
        x, y = next(loader)
        x, y = x.cuda(non_blocking=True), y.cuda(non_blocking=True)
        with torch.autocast("cuda", torch.float16):
            loss = nn.functional.cross_entropy(model(x), y)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad()
        return loss.item()

    return step


step = {"cudagraph_trees": lambda: make_compiled("reduce-overhead"), "compiled": lambda: make_compiled("default"),
        "generate": make_generate, "vision": make_vision}[kind]()
TIMES[kind] = timed(step)
record(f"{kind}.sync", step, sync=True)
record(f"{kind}.default", step, sync=False)
if kind == "vision":
    record(f"{kind}.stack", step, sync=True, with_stack=True, profile_memory=True, with_flops=True, with_modules=True)
finish(kind)
