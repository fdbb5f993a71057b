"""To get past a wait that a capture refuses, a function guesses a number while it is captured."""

import torch

x = torch.ones(4, device="cuda")


def normalize(x):
    if torch.cuda.is_current_stream_capturing():  # cgsan: CG202
        return x / 8  # cgsan: label
    return x / x.max().item()


for _ in range(3):
    normalize(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = normalize(x)

replayed, eager = [], []
for value in (2.0, 4.0, 8.0):
    x.fill_(value)
    graph.replay()
    replayed.append(y[0].item())
    eager.append(normalize(x)[0].item())
print("replay", replayed, "eager", eager)
