"""The graph has one pool and the results that are kept have another, and no replay writes there."""

import torch

stream = torch.cuda.Stream()
torch.cuda.set_stream(stream)
graph = torch.cuda.CUDAGraph()
of_graph, of_results = torch.cuda.MemPool(), torch.cuda.MemPool()


def step(x):
    doubled = x * 2
    return doubled + 1


x = torch.zeros(256, device="cuda")
step(x)
with torch.cuda.graph(graph, pool=of_graph.id, stream=stream):
    y = step(x)

kept, eager = [], []
for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    with torch.cuda.use_mem_pool(of_results):
        kept.append(y.clone())
    eager.append(step(x)[0].item())
print("replay", [it[0].item() for it in kept], "eager", eager)
