"""One pool, with the graph of the largest temporaries captured first, serves all from the same block."""

import torch

MIB = 1 << 20
outputs, graphs = [], []
pool = torch.cuda.graph_pool_handle()
for size in (400, 300, 200):
    graphs.append(torch.cuda.CUDAGraph())
    with torch.cuda.graph(graphs[-1], pool=pool):
        temporary = torch.empty(size * MIB, dtype=torch.uint8, device="cuda").fill_(1)
        outputs.append(temporary[: 30 * MIB].clone())
        del temporary
idle = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
assert idle < 400 * MIB, f"{idle // MIB} MiB idle"
