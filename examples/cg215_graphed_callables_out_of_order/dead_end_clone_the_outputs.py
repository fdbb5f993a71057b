"""Copies of the outputs do not protect what the forward graphs saved for their backward graphs."""

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

a = first(xs[0]).clone()
b = second(xs[1]).clone()
a.backward()
c = third(xs[2]).clone()
b.backward()
c.backward()
grads = [x.grad.item() for x in xs]
assert grads == [1.0, 2.0, 3.0], grads
