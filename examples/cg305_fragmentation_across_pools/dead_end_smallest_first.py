"""A shared pool that meets the smallest graph first has no block large enough for the next."""

import torch

MIB = 1 << 20
outputs, graphs = [], []
pool = torch.cuda.graph_pool_handle()
for size in (200, 300, 400):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1], pool=pool):
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        outputs.append(temporary[: 30 * MIB].clone())
        del temporary
idle = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
assert idle < 400 * MIB, f"{idle // MIB} MiB idle"
