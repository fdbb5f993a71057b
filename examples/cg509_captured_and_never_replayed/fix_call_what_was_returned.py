"""The graphed function takes the name of the original one, so that every caller replays."""

import torch

replays = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (replays.append("replay"), replay(self))

weight = torch.full((8, 8), 0.5, device="cuda", requires_grad=True)
x = torch.ones(4, 8, device="cuda")


def score(x, weight):
    hidden = torch.relu(x @ weight)
    return torch.sigmoid(hidden @ weight)


expected = score(x, weight).detach()
score = torch.cuda.make_graphed_callables(score, (x, weight))
with torch.no_grad():
    for _ in range(4):
        y = score(x, weight)
assert len(replays) == 4, replays
torch.testing.assert_close(y, expected)
