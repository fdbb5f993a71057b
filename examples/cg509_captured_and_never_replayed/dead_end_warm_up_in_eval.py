"""Evaluating before graphing changes nothing: the mode at the capture decides."""

import torch

replays = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (replays.append("replay"), replay(self))

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
x = torch.randn(4, 8, device="cuda")


@torch.no_grad()
def evaluate():
    model.eval()
    for _ in range(4):
        model(x)
    model.train()


evaluate()
model = torch.cuda.make_graphed_callables(model, (x,), num_warmup_iters=11)
evaluate()
assert len(replays) > 0, f"{len(replays)} replays in four calls"
