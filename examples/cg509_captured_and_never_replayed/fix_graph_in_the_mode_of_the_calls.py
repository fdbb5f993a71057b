"""Graphed in evaluation mode and without gradients, as it is called: each call replays."""

import torch

replays = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (replays.append("replay"), replay(self))

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
x = torch.randn(4, 8, device="cuda")
expected = model(x).detach()
model.eval()
with torch.no_grad():
    model = torch.cuda.make_graphed_callables(model, (x,))
    for _ in range(4):
        y = model(x)
assert len(replays) == 4, replays
torch.testing.assert_close(y, expected)
