"""Training replays the graphed module, and evaluation a graph of the same parameters."""

import torch

replays = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (replays.append("replay"), replay(self))

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
x = torch.randn(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))

static = torch.empty_like(x)
evaluation = torch.cuda.CUDAGraph()
model.eval()
with torch.no_grad(), torch.cuda.graph(evaluation):
    prediction = model(static)
model.train()

for _ in range(3):
    model(x).square().mean().backward()
    optimizer.step()
    optimizer.zero_grad()
assert len(replays) == 6, "a forward and a backward a step"
static.copy_(x)
evaluation.replay()
assert len(replays) == 7
model.eval()
torch.testing.assert_close(prediction, model(x).detach())
