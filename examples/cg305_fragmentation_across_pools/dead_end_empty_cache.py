"""`empty_cache()` gives back whole segments without a live block, and none of a living graph's pool."""

import torch

MIB = 1 << 20
outputs, graphs = [], []
for size in (400, 300, 200):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1]):
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        outputs.append(temporary[: 30 * MIB].clone())
        del temporary
torch.cuda.empty_cache()
idle = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
assert idle < 400 * MIB, f"{idle // MIB} MiB idle"
