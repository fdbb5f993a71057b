"""A hook of the module counts how often it ran, and the program divides by the count."""

import torch

n = [0]
model = torch.nn.Linear(4, 2).cuda()
model.register_forward_hook(lambda *_: n.__setitem__(0, n[0] + 1))  # cgsan: CG212
x = torch.zeros(4, device="cuda")
total = torch.zeros(2, device="cuda")


def step():
    with torch.no_grad():
        total.add_(model(x))


step()
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: label
    step()
for value in (1.0, 2.0, 3.0, 4.0):
    x.fill_(value)
    graph.replay()  # cgsan: label
print("mean", (total / n[0]).tolist())
