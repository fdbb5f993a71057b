"""Expandable segments grow within one pool; they do not lend the idle part to another."""

import os

os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "expandable_segments:True"

import torch

MIB = 1 << 20
outputs, graphs = [], []
for size in (400, 300, 200):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1]):
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        outputs.append(temporary[: 30 * MIB].clone())
        del temporary
idle = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
assert idle < 400 * MIB, f"{idle // MIB} MiB idle"
