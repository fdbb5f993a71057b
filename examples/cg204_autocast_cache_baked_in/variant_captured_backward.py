"""Forward and backward are captured in the `autocast` block of their warm-up: output and gradient are of the old weight."""

import torch

model = torch.nn.Linear(16, 16, bias=False, device="cuda")
torch.nn.init.ones_(model.weight)
x = torch.ones(16, 16, device="cuda")
graph = torch.cuda.CUDAGraph()
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.autocast("cuda", dtype=torch.bfloat16):
    with torch.cuda.stream(side):
        model(x).square().mean().backward()  # cgsan: label
    torch.cuda.current_stream().wait_stream(side)
    model.weight.grad = None
    with torch.cuda.graph(graph, stream=side):
        model(x).square().mean().backward()

replayed, eager = [], []
for value in (2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    graph.replay()  # cgsan: CG204
    replayed.append(model.weight.grad[0, 0].item())
for value in (2.0, 3.0):
    torch.nn.init.constant_(model.weight, value)
    model.weight.grad = None
    with torch.autocast("cuda", dtype=torch.bfloat16):
        loss = model(x).square().mean()
    loss.backward()
    eager.append(model.weight.grad[0, 0].item())
print("replay", replayed, "eager", eager)
