"""A graphed callable copies an argument only if it is not the tensor that was captured."""

import torch
from torch.utils._python_dispatch import TorchDispatchMode

copies = []


class Copies(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        if function is torch.ops.aten.copy_.default:
            copies.append(args)
        return function(*args, **(kwargs or {}))


static = torch.ones(1024, device="cuda", requires_grad=True)
double = torch.cuda.make_graphed_callables(lambda x: x * 2, (static,))
with Copies():
    double(torch.ones_like(static))
    assert len(copies) == 1
    with torch.no_grad():
        static.fill_(3.0)
    double(static)
assert len(copies) == 1, "the captured tensor was copied too"
