"""Results are cloned into the graph's own pool, where a temporary of the graph lay; the next replay writes over the clone."""

import torch

stream = torch.cuda.Stream()
torch.cuda.set_stream(stream)
graph = torch.cuda.CUDAGraph()
pool = torch.cuda.MemPool()


def step(x):
    doubled = x * 2
    return doubled + 1


x = torch.zeros(256, device="cuda")
step(x)
with torch.cuda.graph(graph, pool=pool.id, stream=stream):
    y = step(x)

kept, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()  # cgsan: CG217
    with torch.cuda.use_mem_pool(pool):
        kept.append(y.clone())  # cgsan: label
    eager.append(step(x)[0].item())
print("replay", [it[0].item() for it in kept], "eager", eager)
