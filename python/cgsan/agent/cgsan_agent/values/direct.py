"""The shortest way to compute an operator once more: with all that it is given at hand, and where its values go."""

import contextlib
import functools

import torch

from .arguments import leaves

# Where PyTorch keeps its functions that can be given a tensor to write to.
FUNCTIONS = torch._C._VariableFunctions, torch._C._nn
# Operators that write each element of such a tensor once, besides those that go element by element. Others may give it another form
# meanwhile, and other memory with it, as `mse_loss` does.
PRODUCTS = frozenset(("addmm", "baddbmm", "bmm", "mm"))


def direct(operator, arguments, keywords, places, values):
    """What computes an operator again, which came to these values; none where more than their bytes is to be moved."""
    compute = functools.partial(operator.function._op, *arguments, **keywords)
    pairs = [pair for pair in zip(places, values, strict=False) if pair[0] is not None]
    if not pairs:
        return compute
    is_known = operator.returns_tensors or operator.returns_list
    if not is_known or not all(_is_dense(it) for pair in pairs for it in pair):
        return None
    if len(values) == 1 and operator.returns_tensors:
        move = places[0].copy_
        into = _into_place(operator, arguments, keywords, places[0], values[0])
        if into is not None:
            return into
        compute = _by_function(operator, arguments, keywords, values) or compute
        return lambda: move(compute())
    compute = _by_function(operator, arguments, keywords, values) or compute
    moves = [(at, place.copy_) for at, place in enumerate(places) if place is not None]

    def compute_all():
        found = compute()
        for at, move in moves:
            move(found[at])

    return compute_all


def _into_place(operator, arguments, keywords, place, value):
    """What writes the value to its place by itself; none if there is no such function, or it comes to other bits there."""
    function, name = _function(operator), operator.function._opname
    if torch.Tag.pointwise not in operator.function.tags and name not in PRODUCTS:
        return None
    if function is None or _form(place) != _form(value):
        return None
    compute = functools.partial(function, *arguments, **keywords, out=place)
    # Not each function can: some raise, and those of Python's operators (`__rshift__`) return `NotImplemented`.
    with contextlib.suppress(Exception):
        if compute() is place and torch.equal(place, value):
            return compute
    place.copy_(value)
    return None


def _by_function(operator, arguments, keywords, values):
    """What calls PyTorch's function for it, which takes half as long as a call of the operator; none if it comes to other bits."""
    function = _function(operator)
    if function is None or not operator.writes_nothing:
        return None
    compute = functools.partial(function, *arguments, **keywords)
    with contextlib.suppress(Exception):
        pairs = zip(leaves((compute(),)), values, strict=True)
        if all(_form(it) == _form(value) and torch.equal(it, value) for it, value in pairs):
            return compute
    return None


def _function(operator):
    """PyTorch's function of the operator's name."""
    name = operator.function._opname
    if operator.function.namespace != "aten":
        return None
    return next((getattr(it, name) for it in FUNCTIONS if hasattr(it, name)), None)


def _form(tensor):
    return tensor.dtype, tensor.shape


def _is_dense(value):
    return isinstance(value, torch.Tensor) and value.layout is torch.strided
