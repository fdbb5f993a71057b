"""Default arguments keep the tensors of a captured function; globals of the same names are other tensors later."""

import torch

x = torch.zeros(8, device="cuda")
w = torch.full((8,), 10.0, device="cuda")
static_x = x


def step(x=x, w=w):
    return x * w


step()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = step()

replayed, eager = [], []
for number in range(4):
    w = torch.full((8,), 5.0, device="cuda")
    static_x.fill_(float(number))
    graph.replay()
    replayed.append(y[0].item())
    eager.append(step()[0].item())
print("replay", replayed, "eager", eager, "and with the new one", (static_x * w)[0].item())
