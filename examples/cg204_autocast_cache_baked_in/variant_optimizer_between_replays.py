"""The optimizer changes the weights between the replays, and the graph computes with old casts of them."""

import torch

layers = [torch.nn.Linear(16, 16, bias=False, device="cuda") for _ in range(2)]
model = torch.nn.Sequential(*layers)
x = torch.ones(16, 16, device="cuda")


def reset():
    for weight in model.parameters():
        torch.nn.init.zeros_(weight)
        weight.grad = torch.full_like(weight, -0.125)
    return torch.optim.SGD(model.parameters(), lr=1.0)


def capture():
    graph = torch.cuda.CUDAGraph()
    with torch.autocast("cuda", dtype=torch.float16):
        for _ in range(3):
            model(x)  # cgsan: label
        with torch.cuda.graph(graph):
            y = model(x)
    return graph, y


optimizer = reset()
graph, y = capture()
replayed, eager = [], []
for _ in range(3):
    optimizer.step()
    graph.replay()  # cgsan: CG204
    replayed.append(y[0, 0].item())
optimizer = reset()
for _ in range(3):
    optimizer.step()
    with torch.autocast("cuda", dtype=torch.float16):
        eager.append(model(x)[0, 0].item())
print("replay", replayed, "eager", eager)
