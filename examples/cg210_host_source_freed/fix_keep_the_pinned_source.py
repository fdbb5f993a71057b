"""The pinned source is made before the capture, outlives the graph, and is filled before each replay."""

import torch

source = torch.zeros(4, pin_memory=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = source.to("cuda", non_blocking=True) * 2

results = []
for value in range(4):
    source.fill_(value)
    graph.replay()
    results.append(y.tolist()[0])  # waits for the replay, so the source may be filled again
assert results == [0, 2, 4, 6]
