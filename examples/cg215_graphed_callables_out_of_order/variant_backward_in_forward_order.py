"""Callables that were graphed together go backward in the order of their forwards, not in its reverse."""

import torch


class Remember(torch.autograd.Function):
    """Saves its input in the forward graph and returns it as the gradient."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.clone())
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        return ctx.saved_tensors[0].clone()


inputs = [torch.tensor([value], device="cuda", requires_grad=True) for value in (1.0, 2.0, 3.0)]
samples = tuple((x,) for x in inputs)
graphed = torch.cuda.make_graphed_callables((Remember.apply,) * 3, samples)  # cgsan: label
outputs = [function(x) for function, x in zip(graphed, inputs, strict=True)]
for output in outputs:
    output.backward()  # cgsan: CG215
replayed = [x.grad.item() for x in inputs]
print("replay", replayed, "eager", [x.item() for x in inputs])
