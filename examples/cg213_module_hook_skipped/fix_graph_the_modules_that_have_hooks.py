"""Each submodule is graphed by itself; their calls and hooks run in Python, between the graphs."""

import torch

first = torch.nn.Linear(8, 8, device="cuda")
second = torch.nn.Linear(8, 8, device="cuda")
x = torch.ones(4, 8, device="cuda")
hidden = torch.ones(4, 8, device="cuda", requires_grad=True)
torch.cuda.make_graphed_callables((first, second), ((x,), (hidden,)))

calls = []
for module in (first, second):
    module.register_forward_hook(lambda *_: calls.append("hook"))
for _ in range(3):
    second(first(x))
assert len(calls) == 6
