"""The host refills a pinned buffer, and asks anew for the array that shares its memory each time."""

import torch

ids = torch.zeros(4, dtype=torch.int64, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda._sleep(20_000_000)  # stands for work that comes before the copy
    y = ids.to("cuda", non_blocking=True) + 1

outputs = []
for number in range(4):
    ids.numpy()[:] = number
    graph.replay()  # cgsan: CG208
    outputs.append(y.clone())
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [number + 1 for number in range(4)])
