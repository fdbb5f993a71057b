"""What dies early was read by the warm-up alone, or made by the capture; the mask dies after the last replay."""

import torch


def capture(x, mask):
    sample = torch.ones(4, device="cuda")
    sample * mask
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        hidden = x + 1
        y = hidden * mask
    return graph, y


x = torch.full((4,), 3.0, device="cuda")
mask = torch.tensor([1.0, 0.0, 1.0, 0.0], device="cuda")
graph, y = capture(x, mask)
noise = torch.full((4,), 7.0, device="cuda")
for _ in range(3):
    graph.replay()
replayed = y.tolist()
eager = ((x + 1) * mask).tolist()
del mask
noise = torch.full((4,), 8.0, device="cuda")
print("replay", replayed, "eager", eager)
