"""The losses of several batches are looked at before training begins; then each gradient is used."""

import torch

weight = torch.nn.Parameter(torch.zeros(4, device="cuda"))
optimizer = torch.optim.SGD([weight], lr=1.0)
static = torch.zeros(4, device="cuda")


def backward():
    loss = (static * weight).sum()
    loss.backward()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    backward()
torch.cuda.current_stream().wait_stream(side)
optimizer.zero_grad(set_to_none=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = backward()

losses = []
for value in (1.0, 2.0, 4.0):
    static.fill_(value)
    graph.replay()
    losses.append(loss.item())
for value in (1.0, 2.0, 4.0):
    static.fill_(value)
    graph.replay()
    optimizer.step()
print(losses, weight[0].item())
