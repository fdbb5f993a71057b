"""A submodule's hook that is there before graphing runs in warm-up and capture, and never again."""

import torch

model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU()).cuda()
calls = []
model[0].register_forward_hook(lambda *_: calls.append("hook"))
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,))

before = len(calls)
model(x)
assert len(calls) == before + 1, "the replayed forward calls no submodule"
