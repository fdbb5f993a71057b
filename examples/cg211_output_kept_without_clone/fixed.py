"""The function returns a copy of the graph's output."""

import torch

model = torch.nn.Sequential(torch.nn.ReLU(), torch.nn.Hardtanh(0.0, 6.0))
static = torch.zeros(4, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    output = model(static)


def predict(batch):
    static.copy_(batch)
    graph.replay()
    return output.clone()


batches = [torch.full((4,), float(value), device="cuda") for value in range(4)]
predictions = [predict(batch) for batch in batches]
eager = [model(batch)[0].item() for batch in batches]
print("replay", [prediction[0].item() for prediction in predictions], "eager", eager)
