"""Callables graphed together run all forwards in order, then all backwards in reverse."""

import torch


class Keep(torch.autograd.Function):
    """Saves its input in the forward graph and returns it as the gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.clone())
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0].clone()


xs = [torch.tensor([v], device="cuda", requires_grad=True) for v in (1.0, 2.0, 3.0)]
first, second, third = torch.cuda.make_graphed_callables((Keep.apply,) * 3, tuple((x,) for x in xs))

a, b, c = first(xs[0]), second(xs[1]), third(xs[2])
for output in (c, b, a):
    output.backward()
grads = [x.grad.item() for x in xs]
assert grads == [1.0, 2.0, 3.0], grads
