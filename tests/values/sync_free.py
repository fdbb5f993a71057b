"""What makes the host wait for the GPU, each beside a form that does not: the first ends a capture, with the id behind it, and the second
is captured.
"""

import gc

import torch
import torch.nn.functional as F
from torch.distributions import Categorical, Normal
from torch.nn.utils import clip_grad_norm_

x = torch.randn(4, 4, device="cuda")
y = torch.randn(4, 4, device="cuda")
mask = x > 0
index = torch.tensor([2, 0, 3, 1], device="cuda")
counts = torch.tensor([1, 0, 2, 1], device="cuda")
length = torch.tensor(2, device="cuda")
zero, one = torch.zeros((), device="cuda"), torch.ones((), device="cuda")
rows = torch.tensor([2, 0])
rows_there = rows.cuda()
pinned = torch.zeros(4, 4, pin_memory=True)
plain = torch.zeros(4, 4)
weight = torch.nn.Parameter(x.clone())
weight.grad = y.clone()
steps = torch.arange(4, device="cuda")
event, side = torch.cuda.Event(), torch.cuda.Stream()
found = torch.zeros((), dtype=torch.bool, device="cuda")


def branch_on_a_value():
    if x.sum() > 0:  # CG101
        return x + 1
    return x - 1


def loop_on_a_value():
    z = x
    while z.norm() > 1:  # CG101
        z = z / 2
    return z


def assertion_on_a_value():
    assert not torch.isnan(x).any()  # CG101
    return x * 2


def shortest_of_python():
    return min(x.sum(), y.sum())  # CG101


def each_row():
    return [row for row in x if row.sum() > 100]  # CG101


def text_of_a_value():
    return f"{x.sum():.2f}"  # CG101


def noted_in_a_list():
    losses = []
    losses.append(x.mean().item())  # CG101
    return losses


def skipped_step():
    if torch.isfinite(y.sum()):  # CG101
        x.add_(y)


def masked_step():
    x.add_(torch.where(torch.isfinite(y.sum()), y, zero))


# A form that waits, and one that does not.
PATTERNS = [
    # Waits that the program asks for.
    (lambda: torch.cuda.synchronize(), lambda: x * 2),  # CG101
    (lambda: torch.cuda.current_stream().synchronize(), lambda: x * 2),  # CG101
    (lambda: side.synchronize(), lambda: x * 2),  # CG101
    # Values that Python reads.
    (lambda: x.sum().item(), lambda: x.sum()),  # CG101
    (lambda: float(x.sum()), lambda: x.sum().float()),  # CG101
    (lambda: int(length), lambda: length.int()),  # CG101
    (lambda: bool(found), lambda: found.logical_not()),  # CG101
    (lambda: x.tolist(), lambda: x.clone()),  # CG102
    (lambda: x.cpu().numpy(), lambda: pinned.copy_(x, non_blocking=True)),  # CG102
    (lambda: x.to("cpu"), lambda: pinned.copy_(x, non_blocking=True)),  # CG102
    (lambda: plain.copy_(x), lambda: pinned.copy_(x, non_blocking=True)),  # CG102
    (lambda: str(x), lambda: x.clone()),  # CG101
    (lambda: repr(x.sum()), lambda: x.sum()),  # CG101
    (lambda: complex(x.sum()), lambda: torch.complex(x, y)),  # CG101
    (lambda: range(length), lambda: steps < length),  # CG101
    (lambda: [0, 1, 2][length], lambda: steps.index_select(0, length[None])),  # CG101
    (lambda: 3 in counts, lambda: (counts == 3).any()),  # CG101
    (lambda: sorted(x[0]), lambda: x[0].sort()),  # CG101
    (lambda: x.sum().is_nonzero(), lambda: x.sum() != 0),  # CG101
    (lambda: not found, lambda: found.logical_not()),  # CG101
    (lambda: torch.equal(x, y), lambda: (x == y).all()),  # CG101
    (lambda: torch.allclose(x, y), lambda: torch.isclose(x, y).all()),  # CG101
    (lambda: (x > 0).any() and x, lambda: torch.where((x > 0).any(), x, 0)),  # CG101
    # What the host makes.
    (lambda: torch.tensor([1.0, 2.0], device="cuda"), lambda: x.new_ones(2)),  # CG102
    (lambda: x.new_tensor([3.0]), lambda: x.new_full((1,), 3.0)),  # CG102
    (lambda: torch.as_tensor(3.0, device="cuda"), lambda: x.new_full((), 3.0)),  # CG102
    (lambda: plain.cuda(), lambda: pinned.to("cuda", non_blocking=True)),  # CG102
    (lambda: plain.to("cuda", non_blocking=True), lambda: torch.zeros_like(x)),  # CG102
    (lambda: x.copy_(plain), lambda: x.zero_()),  # CG102
    (lambda: x[[0, 2]], lambda: x[0::2]),  # CG102
    (lambda: x[rows], lambda: x[rows_there]),  # CG102
    (lambda: x.index_put_((rows,), y[:2]), lambda: x.index_put_((rows_there,), y[:2])),  # CG102
    (lambda: torch.tensor([x[0, 0], x[1, 1]]), lambda: torch.stack([x[0, 0], x[1, 1]])),  # CG101
    # Sizes that follow from values.
    (lambda: x[mask], lambda: torch.where(mask, x, 0)),  # CG101
    (lambda: x.masked_select(mask), lambda: x * mask),  # CG101
    (lambda: x.nonzero(), lambda: torch.nonzero_static(x, size=16)),  # CG101
    (lambda: torch.where(mask), lambda: torch.where(mask, x, y)),  # CG101
    (lambda: torch.argwhere(mask), lambda: torch.nonzero_static(mask, size=16)),  # CG101
    (lambda: torch.unique(index), lambda: index.sort().values),  # CG101
    (lambda: torch.unique_consecutive(index), lambda: index[1:] != index[:-1]),  # CG101
    (lambda: x.index_put_((mask,), zero), lambda: x.masked_fill_(mask, 0)),  # CG101
    (lambda: x[:length], lambda: x * (steps < length)[:, None]),  # CG101
    (lambda: x.narrow(0, length, 1), lambda: x.index_select(0, length[None])),  # CG101
    (lambda: torch.arange(length, device="cuda"), lambda: steps * (steps < length)),  # CG101
    (lambda: torch.zeros(length, device="cuda"), lambda: torch.zeros(4, device="cuda")),  # CG101
    (lambda: torch.linspace(zero, one, 4), lambda: torch.linspace(0, 1, 4, device="cuda")),  # CG101
    (lambda: torch.full((4,), zero.item(), device="cuda"), lambda: zero.expand(4)),  # CG101
    (lambda: F.one_hot(index), lambda: F.one_hot(index, 4)),  # CG101
    (
        lambda: torch.bincount(index),  # CG102
        lambda: torch.zeros_like(index).scatter_add_(0, index, index),
    ),
    (
        lambda: x.repeat_interleave(counts, dim=0),  # CG101
        lambda: x.repeat_interleave(counts, dim=0, output_size=4),
    ),
    (lambda: x.split(counts.tolist()), lambda: x.split([1, 0, 2, 1])),  # CG102
    (lambda: x.clamp(max=y.max().item()), lambda: x.clamp(max=y.max())),  # CG101
    (lambda: x.add_(y, alpha=one.item()), lambda: x.addcmul_(y, one)),  # CG101
    (lambda: x.std().item() * y, lambda: x.std() * y),  # CG101
    # Functions that look at values.
    (lambda: Categorical(logits=x), lambda: Categorical(logits=x, validate_args=False)),  # CG101
    (
        lambda: Normal(x, y.abs() + 1).log_prob(x),  # CG101
        lambda: Normal(x, y.abs() + 1, validate_args=False).log_prob(x),
    ),
    (
        lambda: clip_grad_norm_([weight], 1.0, error_if_nonfinite=True),  # CG101
        lambda: clip_grad_norm_([weight], 1.0),
    ),
    # Python that depends on values.
    (branch_on_a_value, lambda: torch.where(x.sum() > 0, x + 1, x - 1)),
    (loop_on_a_value, lambda: x / x.norm().clamp(min=1)),
    (assertion_on_a_value, lambda: torch._assert_async(~torch.isnan(x).any())),
    (shortest_of_python, lambda: torch.minimum(x.sum(), y.sum())),
    (each_row, lambda: torch.where(x.sum(1, keepdim=True) > 100, x, 0)),
    (text_of_a_value, lambda: x.sum()),
    (noted_in_a_list, lambda: torch.stack([x.mean()])),
    (skipped_step, masked_step),
]


def is_captured(runs, stream):
    """Whether a function can be captured, once it is warmed up."""
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        runs()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    try:
        with torch.cuda.graph(graph, stream=stream):
            runs()
    except Exception:
        gc.collect()
        return False
    graph.replay()
    torch.cuda.synchronize()
    return True


def main():
    stream = torch.cuda.Stream()
    for waiting, free in PATTERNS:
        line = waiting.__code__.co_firstlineno
        if is_captured(waiting, stream):
            print(f"line {line}: was captured", flush=True)
        if not is_captured(free, stream):
            print(f"line {line}: the form that does not wait was refused", flush=True)


if __name__ == "__main__":
    main()
