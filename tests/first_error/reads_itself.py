"""Operators that read values of the GPU by themselves: for each, the report says what to write instead, and that can be captured."""

import torch
import torch.nn.functional as F

x = torch.rand(4, 4, device="cuda") + 3 * torch.eye(4, device="cuda")
row = torch.ones(4, device="cuda")
index = torch.tensor([1, 0, 2, 1], device="cuda")
spd = x @ x.T


def hot(i=index):
    F.one_hot(i)  # cgsan: CG101 CG101 CG101 CG101 CG101 CG101 CG101 CG101 CG101 CG101 CG101 CG101


def masked_write(tensor):
    tensor[tensor > 3] = row[0]


def choose_write(tensor):
    tensor.copy_(torch.where(tensor > 3, row[0], tensor))


# says: pass `num_classes=`
# says: pass `output_size=`
# says: torch.nonzero_static
# says: keep all elements, and choose with `torch.where` or multiply by the mask
# says: `masked_fill_` for `x[mask] = value`
# says: how many values are unique depends on the values
# says: torch.linalg.inv_ex
# says: torch.linalg.solve_ex
# says: torch.linalg.cholesky_ex
# says: `(a == b).all()` for `torch.equal(a, b)`
# says: `torch.isclose(a, b).all()` for `torch.allclose(a, b)`
# says: a condition on a tensor is decided on the host
REFUSED = [
    hot,
    lambda: x.repeat_interleave(index, 0),
    lambda: torch.nonzero(x > 3),
    lambda: x[x > 3],
    lambda: masked_write(x.clone()),
    lambda: torch.unique(index),
    lambda: torch.linalg.inv(x),
    lambda: torch.linalg.solve(x, x),
    lambda: torch.linalg.cholesky(spd),
    lambda: torch.equal(x, spd),
    lambda: torch.allclose(x, spd),
    lambda: x + 1 if index[0] > 0 else x,
]
INSTEAD = [
    lambda: F.one_hot(index, num_classes=3),
    lambda: x.repeat_interleave(index, 0, output_size=4),
    lambda: torch.nonzero_static(x > 3, size=4),
    lambda: torch.where(x > 3, x, 0),
    lambda: choose_write(x.clone()),
    lambda: torch.linalg.inv_ex(x),
    lambda: torch.linalg.solve_ex(x, x),
    lambda: torch.linalg.cholesky_ex(spd),
    lambda: (x == spd).all(),
    lambda: torch.isclose(x, spd).all(),
    lambda: torch.where(index[0] > 0, x + 1, x),
]


def captures(call):
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    graph.replay()


for call in REFUSED:
    try:
        captures(call)
    except Exception:
        torch.cuda.synchronize()
    else:
        raise SystemExit(f"line {call.__code__.co_firstlineno} was captured")
for call in INSTEAD:
    captures(call)
print("ok")
