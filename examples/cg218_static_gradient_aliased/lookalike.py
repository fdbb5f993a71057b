"""Gradients are the graph's own memory, and the optimizer uses them before the next replay writes them."""

import torch


def train(model, step, batches, static=None):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    results = []
    for batch in batches:
        if static is None:
            optimizer.zero_grad()
            step(batch)
        else:
            static.copy_(batch)
            step()
        optimizer.step()
        results.append(model.weight[0, 0].item())
    return results


def make():
    model = torch.nn.Linear(4, 1, bias=False, device="cuda")
    torch.nn.init.zeros_(model.weight)
    return model


batches = [torch.full((2, 4), value, device="cuda") for value in (1.0, 2.0, 4.0)]
reference = make()
eager = train(reference, lambda batch: reference(batch).sum().backward(), batches)

model = make()
static = batches[0].clone()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model(static).sum().backward()
torch.cuda.current_stream().wait_stream(side)
model.zero_grad()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    model(static).sum().backward()
print("replay", train(model, graph.replay, batches, static), "eager", eager)
