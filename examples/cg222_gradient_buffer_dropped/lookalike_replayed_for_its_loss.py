"""The gradients of a captured pass are dropped that is replayed for its loss alone; an optimizer trains another layer."""

import torch

torch.manual_seed(0)
layer = torch.nn.Linear(4, 1, device="cuda")
other = torch.nn.Linear(4, 1, device="cuda")
batch = torch.zeros(2, 4, device="cuda")


def loss_of(layer):
    loss = layer(batch).square().mean()
    loss.backward()
    return loss


side = torch.cuda.Stream()
with torch.cuda.stream(side):
    loss_of(layer)
torch.cuda.current_stream().wait_stream(side)
layer.zero_grad()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = loss_of(layer)
layer.zero_grad()
optimizer = torch.optim.SGD(other.parameters(), lr=0.1)
replayed, eager = [], []
for it in torch.randn(4, 2, 4, device="cuda"):
    batch.copy_(it)
    graph.replay()
    loss_of(other)
    optimizer.step()
    optimizer.zero_grad()
    replayed.append(loss.item())
    eager.append(layer(batch).square().mean().item())
print("replay", replayed, "eager", eager)
