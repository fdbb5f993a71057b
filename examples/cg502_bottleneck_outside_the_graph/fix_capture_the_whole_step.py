"""One graph holds forward, backward and optimizer: between two replays no kernel is launched."""

import torch

torch.manual_seed(0)
x = torch.randn(32, 64, device="cuda")
model = torch.nn.Linear(64, 64).cuda()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, capturable=True)


def step():
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    before = [step() for _ in range(3)]
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()
for _ in range(5):
    graph.replay()
assert loss.item() < before[-1].item(), "the replays did not train"
