"""Accumulation that begins without a `.grad` adds the static buffer to itself."""

import torch


class Pass(torch.autograd.Function):
    """Hands its gradient on as it is."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return grad.clone()


x = torch.tensor([5.0], device="cuda", requires_grad=True)
graphed = torch.cuda.make_graphed_callables(Pass.apply, (x,))

graphed(x).backward(torch.tensor([1.0], device="cuda"))
graphed(x).backward(torch.tensor([2.0], device="cuda"))
assert x.grad.tolist() == [3.0], x.grad.tolist()
