"""A copy of `.grad` keeps a step's gradient beyond the next backward."""

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
kept = x.grad.clone()
x.grad = None
graphed(x).backward(torch.tensor([2.0], device="cuda"))
assert kept.tolist() == [1.0]
assert x.grad.tolist() == [2.0]
