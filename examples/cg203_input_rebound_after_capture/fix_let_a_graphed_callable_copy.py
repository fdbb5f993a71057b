"""A graphed callable copies its arguments into the captured ones before it replays."""

import torch


def double(x):
    return x * 2


graphed = torch.cuda.make_graphed_callables(double, (torch.zeros(4, device="cuda"),))
results = []
for value in (1.0, 2.0, 3.0):
    batch = torch.full((4,), value, device="cuda")
    results.append(graphed(batch).clone())
assert [result[0].item() for result in results] == [2, 4, 6]
