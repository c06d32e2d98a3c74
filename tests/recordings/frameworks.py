"""Frameworks on small random models, each as its users write their programs: frameworks.py KIND.

accelerate wants LOCAL_RANK=0 ACCELERATE_USE_FSDP=true FSDP_VERSION=2 for each rank, and REC_CYCLES=50000
where ranks share a GPU."""
import gzip, os, shutil, sys, threading, time
import numpy as np
import torch, torch.nn as nn
import harness
from harness import OUT, TIMES, finish, sleep
from torch.profiler import ExecutionTraceObserver, ProfilerActivity, profile, schedule

kind = sys.argv[1]
rank, world = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
suffix = f".rank{rank}" if world > 1 else ""
CYCLES = float(os.environ.get("REC_CYCLES", 6_000_000))


def record(name, run, sync=False, warm=3, active=3, all_threads=False, host=True):
    """run(steps, on_step) makes so many steps and calls on_step after each."""
    config = torch._C._profiler._ExperimentalConfig(enable_cuda_sync_events=sync, profile_all_threads=all_threads)
    observer = ExecutionTraceObserver().register_callback(f"{OUT}/{name}.host.json") if host else None
    prof = profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], record_shapes=True,
                   schedule=schedule(wait=0, warmup=warm, active=active, repeat=1),
                   execution_trace_observer=observer, experimental_config=config,
                   on_trace_ready=lambda p: p.export_chrome_trace(f"{OUT}/{name}.device.json"))
    with prof:
        run(warm + active, prof.step)
    torch.cuda.synchronize()
    for what in ("device", "host"):
        path = f"{OUT}/{name}.{what}.json"
        if os.path.exists(path):
            if not name.endswith(".first"):
                with open(path, "rb") as a, gzip.open(path + ".gz", "wb", 6) as b:
                    shutil.copyfileobj(a, b)
            os.remove(path)


def timed(run, n=10):
    times = [time.perf_counter()]
    run(n, lambda: times.append(time.perf_counter()))
    return [b - a for a, b in zip(times, times[1:])][3:]


def spin(modules, cycles):
    """A spinning kernel behind each module's forward, twice as long in backward."""
    def hook(module, args, output):
        sleep(cycles)
        out = output[0] if isinstance(output, (tuple, list)) else output
        if torch.is_tensor(out) and out.requires_grad:
            out.register_hook(lambda g: sleep(2 * cycles))
    for module in modules:
        module.register_forward_hook(hook)


def llama(layers=4, hidden=512, **kw):
    from transformers import LlamaConfig, LlamaForCausalLM
    torch.manual_seed(1)
    return LlamaForCausalLM(LlamaConfig(vocab_size=8192, hidden_size=hidden, intermediate_size=2 * hidden,
                            num_hidden_layers=layers, num_attention_heads=8, num_key_value_heads=8, **kw))


class Tokens(torch.utils.data.Dataset):
    def __len__(self):
        return 100_000

    def __getitem__(self, k):
        t = (torch.arange(256) * (k + 1)) % 8192
        return {"input_ids": t, "labels": t}


def make_timm(factor):
    import timm, timm.optim, timm.utils
    from timm.data.loader import PrefetchLoader, fast_collate

    class Images(torch.utils.data.Dataset):
        def __len__(self):
            return 100_000

        def __getitem__(self, k):
            return np.full((3, 160, 160), k % 251, dtype=np.uint8), k % 10

    model = timm.create_model("resnet18", num_classes=10).cuda().to(memory_format=torch.channels_last)
    spin([model.layer1, model.layer2, model.layer3, model.layer4], CYCLES * factor)
    optimizer = timm.optim.create_optimizer_v2(model, opt="lamb", lr=1e-3)
    scaler = timm.utils.NativeScaler()
    loader = iter(PrefetchLoader(torch.utils.data.DataLoader(Images(), batch_size=64, num_workers=4, collate_fn=fast_collate,
                  pin_memory=True), mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), device=torch.device("cuda")))

    def run(steps, on_step):
        for _ in range(steps):
            x, y = next(loader)
            x = x.contiguous(memory_format=torch.channels_last)
            with torch.autocast("cuda", torch.float16):
                loss = nn.functional.cross_entropy(model(x), y)
            optimizer.zero_grad()
            scaler(loss, optimizer, clip_grad=1.0, parameters=model.parameters())
            on_step()
    return run


def make_trainer(factor):
    from transformers import Trainer, TrainerCallback, TrainingArguments
    model = llama()
    spin(model.model.layers, CYCLES * factor)

    class OnStep(TrainerCallback):
        def on_step_end(self, args, state, control, **kw):
            self.call()

    def run(steps, on_step):
        callback = OnStep()
        callback.call = on_step
        Trainer(model=model, train_dataset=Tokens(), callbacks=[callback], args=TrainingArguments(
            output_dir="/tmp/trainer", max_steps=steps, per_device_train_batch_size=4, gradient_accumulation_steps=2,
            bf16=True, logging_steps=1, report_to=[], save_strategy="no", disable_tqdm=True, dataloader_num_workers=2)).train()
    return run


def make_lightning(factor):
    try:
        import lightning.pytorch as pl
    except ImportError:
        import pytorch_lightning as pl

    class Module(pl.LightningModule):
        def __init__(self):
            super().__init__()
            self.inner = llama()
            spin(self.inner.model.layers, CYCLES * factor)

        def training_step(self, batch, k):
            loss = self.inner(**batch).loss
            self.log("loss", loss, prog_bar=False)
            return loss

        def configure_optimizers(self):
            return torch.optim.AdamW(self.parameters(), lr=1e-4)

    class OnStep(pl.Callback):
        def on_train_batch_end(self, *args):
            self.call()

    module = Module()

    def run(steps, on_step):
        callback = OnStep()
        callback.call = on_step
        pl.Trainer(max_steps=steps, accelerator="gpu", devices=1, precision="bf16-mixed", callbacks=[callback], logger=False,
                   enable_checkpointing=False, enable_progress_bar=False, enable_model_summary=False, gradient_clip_val=1.0,
                   default_root_dir="/tmp/pl").fit(
            module, torch.utils.data.DataLoader(Tokens(), batch_size=4, num_workers=2, pin_memory=True))
    return run


def make_accelerate(factor):
    from accelerate import Accelerator, FullyShardedDataParallelPlugin
    plugin = FullyShardedDataParallelPlugin(fsdp_version=2, auto_wrap_policy="transformer_based_wrap",
                                            transformer_cls_names_to_wrap=["LlamaDecoderLayer"], reshard_after_forward=True)
    accelerator = Accelerator(fsdp_plugin=plugin, mixed_precision="bf16", gradient_accumulation_steps=1)
    model = llama()
    spin(model.model.layers, CYCLES * factor)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    loader = torch.utils.data.DataLoader(Tokens(), batch_size=4, num_workers=2, pin_memory=True)
    model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
    batches = iter(loader)

    def run(steps, on_step):
        for _ in range(steps):
            with accelerator.accumulate(model):
                loss = model(**next(batches)).loss
                accelerator.backward(loss)
                accelerator.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
                loss.item()
            on_step()
    return run


def make_batching(factor):
    from transformers import GenerationConfig
    model = llama(attn_implementation="sdpa").cuda().to(torch.bfloat16).eval()
    spin(model.model.layers, CYCLES * factor / 4)
    generation = GenerationConfig(max_new_tokens=6, do_sample=False, eos_token_id=-1, pad_token_id=0)

    def run(steps, on_step):
        for k in range(steps):
            inputs = [[(7 * k + 3 * j + i) % 8000 for i in range(20 + 5 * j)] for j in range(6)]
            model.generate_batch(inputs, generation_config=generation, progress_bar=False)
            on_step()
    return run


def make_streamer(factor):
    from transformers import TextIteratorStreamer
    model = llama().cuda().to(torch.bfloat16).eval()
    spin(model.model.layers, CYCLES * factor / 4)

    class Decoder:
        def decode(self, ids, **kw):
            return " ".join(str(int(i)) for i in ids) + " "

    def run(steps, on_step):
        for k in range(steps):
            streamer = TextIteratorStreamer(Decoder(), skip_prompt=True)
            ids = torch.full((1, 32), k % 8000, device="cuda")
            worker = threading.Thread(target=model.generate, kwargs=dict(
                inputs=ids, attention_mask=torch.ones_like(ids), max_new_tokens=8, min_new_tokens=8, do_sample=True,
                streamer=streamer, pad_token_id=0))
            worker.start()
            for _ in streamer:
                pass
            worker.join()
            on_step()
    return run


def make_offload(factor):
    from accelerate import cpu_offload
    model = llama().to(torch.bfloat16).eval()
    spin(model.model.layers, CYCLES * factor)
    cpu_offload(model, execution_device=torch.device("cuda:0"))

    def run(steps, on_step):
        ids = torch.zeros(4, 64, dtype=torch.long, device="cuda")
        with torch.no_grad():
            for _ in range(steps):
                model(ids).logits[:, -1].argmax(-1).cpu()
                on_step()
    return run


def make_saved(factor):
    model = llama().cuda().to(torch.bfloat16)
    spin(model.model.layers, CYCLES * factor)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4, fused=True)
    ids = torch.zeros(4, 256, dtype=torch.long, device="cuda")

    def run(steps, on_step):
        for _ in range(steps):
            with torch.autograd.graph.save_on_cpu(pin_memory=True):
                loss = model(input_ids=ids, labels=ids).loss
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            on_step()
    return run


make = globals()[f"make_{kind}"]
is_busy = "REC_BUSY" in os.environ  # without host traces and sync rows, which take time
for factor in (1.0, 0.5, 2.0) if is_busy or world == 1 else (1.0,):
    run = make(factor)
    if factor == 1.0:
        record(f"{kind}.first{suffix}", run, warm=1, active=1, host=False)
    record(f"{kind}.f{factor}.default{suffix}", run, host=not is_busy)
    if factor == 1.0 and not is_busy:
        record(f"{kind}.f{factor}.sync{suffix}", run, sync=True)
        if kind in ("batching", "streamer"):
            record(f"{kind}.f{factor}.threads{suffix}", run, all_threads=True)
    TIMES[f"f{factor}"] = timed(run)
finish(kind + suffix)
