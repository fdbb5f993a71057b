"""`retain_graph=True` keeps autograd's references; the saved tensors are static memory of the pool."""

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

a = first(xs[0])
b = second(xs[1])
a.backward(retain_graph=True)
c = third(xs[2])
b.backward(retain_graph=True)
c.backward(retain_graph=True)
grads = [x.grad.item() for x in xs]
assert grads == [1.0, 2.0, 3.0], grads
