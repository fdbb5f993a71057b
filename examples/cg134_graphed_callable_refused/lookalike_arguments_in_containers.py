"""Lists and dictionaries of tensors, by position: their leaves are tensors, which is all that is asked for."""

import torch


def mix(pair, options):
    return {"mixed": torch.lerp(pair[0], pair[1], options["weight"])}


def arguments():
    ends = [torch.zeros(4, 8, device="cuda", requires_grad=True) for _ in range(2)]
    return ends, {"weight": torch.ones(8, device="cuda", requires_grad=True)}


graphed = torch.cuda.make_graphed_callables(mix, arguments())
pair, options = arguments()
graphed(pair, options)["mixed"].sum().backward()
assert pair[0].grad.shape == (4, 8)
assert options["weight"].grad.shape == (8,)
