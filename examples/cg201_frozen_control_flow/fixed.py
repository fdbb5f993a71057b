"""Whether the step clips is decided on the device, by a limit that is filled before each replay."""

import torch

x = torch.zeros(4, device="cuda")
limit = torch.zeros((), device="cuda")


def step():
    y = x + 3
    y = torch.minimum(y, limit)
    return y * 2


for _ in range(3):
    step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for number in range(4, 8):
    x.fill_(number)
    limit.fill_(4 if number % 2 == 0 else float("inf"))
    graph.replay()
    replayed.append(y[0].item())
    eager.append(step()[0].item())
print("replay", replayed, "eager", eager)
