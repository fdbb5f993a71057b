"""However often it is called after eval(), the module does not replay its training graphs."""

import torch

replays = []
replay = torch.cuda.CUDAGraph.replay
torch.cuda.CUDAGraph.replay = lambda self: (replays.append("replay"), replay(self))

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 8)).cuda()
x = torch.randn(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
model.eval()
with torch.no_grad():
    for _ in range(50):
        model(x)
    replays.clear()
    for _ in range(4):
        model(x)
assert len(replays) > 0, f"{len(replays)} replays in four calls"
