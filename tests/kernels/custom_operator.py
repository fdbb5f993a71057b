"""Kernels inside operators of the program's own, with a backward pass, captured as a training step."""

import torch
import triton
import triton.language as tl


@triton.jit
def squared(x, y, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    value = tl.load(x + at)
    tl.store(y + at, value * value)


@triton.jit
def squared_backward(x, gradient, result, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(result + at, 2 * tl.load(x + at) * tl.load(gradient + at))


class Square(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        y = torch.empty_like(x)
        squared[(1,)](x, y, SIZE=x.numel())
        return y

    @staticmethod
    def backward(context, gradient):
        (x,) = context.saved_tensors
        result = torch.empty_like(x)
        squared_backward[(1,)](x, gradient.contiguous(), result, SIZE=x.numel())
        return result


weight = torch.ones(16, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
x = torch.zeros(16, device="cuda")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = Square.apply(weight * x).sum()
    loss.backward()
    optimizer.step()
    return loss


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    step()
    step()
torch.cuda.current_stream().wait_stream(side)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    loss = step()

x.fill_(1.0)
with torch.no_grad():
    weight.fill_(1.0)
want, losses = 1.0, []
for _ in range(3):
    graph.replay()
    losses.append(loss.item())
    torch.testing.assert_close(losses[-1], 16 * want * want)
    want -= 0.1 * 2 * want
