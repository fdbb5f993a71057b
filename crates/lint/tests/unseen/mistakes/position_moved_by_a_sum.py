import torch

position = torch.zeros(256, 3, device="cuda")
velocity = torch.ones(256, 3, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    energy = (position.square().sum() + velocity.square().sum()) * 0.5
for tick in range(100):
    graph.replay()
    if tick % 10 == 0:
        print(tick, energy.item())
    position = position + velocity * 0.01  # cgsan: CG203
