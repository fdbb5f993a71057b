import torch

x = torch.rand(512, device="cuda")
scale = 0.5
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * scale
shown = 0
weight = 1.0
for _ in range(8):
    graph.replay()
    weight *= 0.5
    shown += weight * y.mean().item()
print(shown, scale)
