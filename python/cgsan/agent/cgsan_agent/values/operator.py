"""What is known of one of PyTorch's operators, looked up once for all its calls."""

import functools

import torch

from . import indexing, random_numbers
from .arguments import leaves
from .parts import BY_PARTS
from .substitutes import SUBSTITUTES

# Sums of products: a GPU adds those of half precision up in float32, and rounds once; so does this, which is much faster on a CPU too.
SUMS = {
    f"aten::{name}"
    for name in [
        "mm",
        "bmm",
        "addmm",
        "baddbmm",
        "addbmm",
        "mv",
        "addmv",
        "dot",
        "vdot",
        "linear",
        "_addmm_activation",
        "convolution",
        "convolution_backward",
        "cudnn_convolution",
        "cudnn_convolution_transpose",
    ]
}
# Copies that may change the type on the way.
COPIES = "aten::copy_", "aten::_to_copy"

COMPOSITE = torch._C.DispatchKey.CompositeImplicitAutograd


class Operator:
    """An operator, how it is computed, and what it writes."""

    def __init__(self, function):
        schema = function._schema
        self.function = function
        # In inference mode, operators come to the mode that are made of others.
        self.is_composite = function.has_kernel_for_dispatch_key(COMPOSITE)
        self.is_collective = function.namespace == "c10d"
        self.by_parts = BY_PARTS.get(function)
        self.takes_masks = indexing.takes_masks(function)
        self.draws = random_numbers.draws(function)
        self.substitute = SUBSTITUTES.get(schema.name)
        self.is_copy = schema.name in COPIES
        writes = [it.alias_info is not None and it.alias_info.is_write for it in schema.arguments]
        self._written = [(at, it.name) for at, it in enumerate(schema.arguments) if writes[at]]
        self.is_sum = schema.name in SUMS and not self._written
        # For each result, whether it is in memory of its own.
        self._is_fresh = [it.alias_info is None for it in schema.returns]

    def written(self, arguments, keywords):
        """What it writes among its arguments."""
        return leaves(
            arguments[at] if at < len(arguments) else keywords.get(name)
            for at, name in self._written
        )

    def places(self, results, place_of):
        """For each result, where its value goes: none for one that is also an argument, which the operator writes itself."""
        parts = results if len(self._is_fresh) > 1 else (results,)
        places = []
        for part, is_fresh in zip(parts, self._is_fresh, strict=False):
            for leaf in leaves((part,)):
                goes = is_fresh and isinstance(leaf, torch.Tensor)
                if goes and leaf.layout is not torch.strided:
                    raise NotImplementedError("its result is sparse")
                places.append(place_of(leaf) if goes else None)
        return places


# By what PyTorch hands over.
known = functools.cache(Operator)
