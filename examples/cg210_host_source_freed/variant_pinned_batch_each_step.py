"""Each step pins its batch anew, and the graph copies from where the first one was."""

import torch

batches = [torch.full((4,), float(value)) for value in range(4)]
host = batches[0].pin_memory()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = host.to("cuda", non_blocking=True) * 2  # cgsan: label

replayed, eager = [], []
for batch in batches[1:]:
    host = batch.pin_memory()
    graph.replay()  # cgsan: CG210
    replayed.append(y[0].item())
    eager.append((batch * 2)[0].item())
print("replay", replayed, "eager", eager)
