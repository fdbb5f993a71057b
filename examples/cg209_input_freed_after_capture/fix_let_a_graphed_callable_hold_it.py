"""A graphed callable keeps the sample arguments that it captured with."""

import torch


def capture():
    sample = torch.ones(4, device="cuda")
    return torch.cuda.make_graphed_callables(lambda x: x * 2, (sample,))


graphed = capture()
other = torch.randn(4, device="cuda")
y = graphed(torch.ones(4, device="cuda"))
assert y.tolist() == [2, 2, 2, 2]
