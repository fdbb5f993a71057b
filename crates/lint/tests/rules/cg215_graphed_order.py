# --- fails
import torch


def score(x):
    return x.exp() * x + x.sin()


left = torch.rand(64, device="cuda", requires_grad=True)
right = torch.rand(64, device="cuda", requires_grad=True)
first, second = torch.cuda.make_graphed_callables((score, score), ((left,), (right,)))
of_left = first(left)
of_right = second(right)
of_left.sum().backward()
of_right.sum().backward()  # cgsan: CG215
print(left.grad, right.grad)
# --- fixed
import torch


def score(x):
    return x.exp() * x + x.sin()


left = torch.rand(64, device="cuda", requires_grad=True)
right = torch.rand(64, device="cuda", requires_grad=True)
first, second = torch.cuda.make_graphed_callables((score, score), ((left,), (right,)))
of_left = first(left)
of_right = second(right)
of_right.sum().backward()
of_left.sum().backward()
print(left.grad, right.grad)
# --- lookalike
import torch


def score(x):
    return x.exp() * x + x.sin()


left = torch.rand(64, device="cuda", requires_grad=True)
right = torch.rand(64, device="cuda", requires_grad=True)
first = torch.cuda.make_graphed_callables(score, (left,))
second = torch.cuda.make_graphed_callables(score, (right,))
of_left = first(left)
of_right = second(right)
of_left.sum().backward()
of_right.sum().backward()
print(left.grad, right.grad)
