"""Each eager call assigns the attribute what it has made; those results are kept under another name and read in the end."""

import torch


class Model:
    def __init__(self):
        self.features = None

    def __call__(self, x):
        self.features = x * 2
        return self.features


model = Model()
x = torch.zeros(4, device="cuda")
model(x)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = model(x)

kept = []
for value in (1.0, 2.0, 3.0, 4.0):
    x.fill_(value)
    graph.replay()
    replayed = y.clone()
    model(x)
    kept.append((replayed, model.features))
print("replay", [it[0].item() for it, _ in kept], "eager", [it[0].item() for _, it in kept])
