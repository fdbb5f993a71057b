"""A training loop keeps the gradients of each step to plot them at some time."""

import torch

model = torch.nn.Linear(1024, 1024, device="cuda")
x = torch.ones(4, 1024, device="cuda")
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        model.zero_grad(set_to_none=True)
        model(x).square().mean().backward()
torch.cuda.current_stream().wait_stream(side)
model.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = model(x).square().mean()
    loss.backward()

optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
gradients = {}
for step in range(32):
    x.fill_(step / 32)
    graph.replay()  # cgsan: label
    optimizer.step()
    gradients[step] = [parameter.grad.clone() for parameter in model.parameters()]  # cgsan: CG310
print("steps", len(gradients))
