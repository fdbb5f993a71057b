"""A function returns the graph's output, and the caller collects what it returned."""

import torch

model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Hardtanh(0.0, 6.0))
static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = model(static)  # cgsan: label


def predict(batch):
    static.copy_(batch)
    graph.replay()  # cgsan: CG211
    return output


batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
predictions = [predict(batch) for batch in batches]
eager = [model(batch)[0].item() for batch in batches]
print("replay", [prediction[0].item() for prediction in predictions], "eager", eager)
