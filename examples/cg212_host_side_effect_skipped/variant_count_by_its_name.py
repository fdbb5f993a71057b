"""The captured code counts its calls, and the program reads the count by a name that only a text has."""

import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1  # cgsan: CG212
        return x * 2


model = Model()
x = torch.ones(4, device="cuda")
model(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)
before = vars(model)["calls"]
for _ in range(3):
    graph.replay()
print("calls", before + 3, "counted", vars(model)["calls"])
