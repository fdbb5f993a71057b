"""What is known of one of PyTorch's operators, looked up once for all its calls."""

import functools

import torch

from . import attention, distributions, generators, random_numbers
from .arguments import leaves
from .given import DTYPES, is_other
from .substitutes import substitute_of

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


CPU = torch.device("cpu")
# What its kernels are for: dense tensors, sparse ones and nested ones.
HOST = "CPU", "SparseCPU", "SparseCsrCPU", "NestedTensorCPU"


class Operator:
    """An operator, how it is computed, and what it writes."""

    def __init__(self, function):
        schema = function._schema
        self.function = function
        self.draws = random_numbers.draws(function)
        names = [it.name for it in schema.arguments]
        # Where it is given how likely it is to drop a weight, if it draws for nothing else.
        self._dropout_at = names.index("dropout_p") if schema.name in attention.DRAWS else None
        self.substitute = substitute_of(schema)
        self.is_copy = schema.name in COPIES
        # Without any of these, it is one that calls it that is computed.
        self.is_computable = (
            self.substitute is not None
            or distributions.are_known(function)
            or any(
                torch._C._dispatch_has_computed_kernel_for_dispatch_key(function.name(), it)
                for it in HOST
            )
        )
        # PyTorch does not say so of the one that `isin` calls, and other libraries seldom do of theirs (torchvision's `nms`).
        self.has_shapes_of_values = (
            torch.Tag.dynamic_output_shape in function.tags
            or schema.name == "aten::_unique"
            or (self.is_computable and not schema.name.startswith("aten::"))
        )
        # Optimizers give these step sizes and the like, which are others at each step.
        self.takes_other_numbers = (
            schema.name.startswith("aten::_foreach_") and self.substitute is None and not self.draws
        )
        writes = [it.alias_info is not None and it.alias_info.is_write for it in schema.arguments]
        self._written = [(at, it.name) for at, it in enumerate(schema.arguments) if writes[at]]
        self.writes_nothing = not self._written
        # Whether it does not read what it writes, if that is nowhere else among its arguments.
        self.writes_into = any(it.is_out for it in schema.arguments)
        self.is_sum = schema.name in SUMS and not self._written
        # For each result, whether it may be in memory of its own: one that may be a view may be a copy too.
        self._is_fresh = [
            it.alias_info is None or not it.alias_info.is_write for it in schema.returns
        ]
        self._generators = [
            at for at, it in enumerate(schema.arguments) if "Generator" in str(it.real_type)
        ]
        # Arguments that it gives back, by the place of the result.
        self._given_back = [
            (at, place)
            for place, it in enumerate(schema.returns)
            for at, argument in enumerate(schema.arguments)
            if it.alias_info is not None
            and it.alias_info.is_write
            and argument.alias_info is not None
            and argument.alias_info.before_set == it.alias_info.before_set
        ]
        self._names = [it.name if it.kwarg_only else None for it in schema.arguments]
        self._types = [str(it.real_type) for it in schema.arguments]
        self._returns = len(schema.returns)
        self.has_results = bool(schema.returns)
        kinds = [str(it.real_type) for it in schema.returns]
        self.returns_tensors = all(it == "Tensor" for it in kinds)
        # One list, whose parts are in places of their own.
        self.returns_list = kinds == ["List[Tensor]"]

    def own(self, given, results):
        """What it is given and gives back. functorch calls it on a stack that has more below, which PyTorch hands over as well."""
        return _last(given, len(self._types)), _last(results, self._returns)

    def draws_from(self, given):
        """Whether it draws random numbers when it is given this."""
        at = self._dropout_at
        return self.draws and (at is None or at >= len(given) or given[at] != 0)

    def generator(self, given):
        """The generator that it is given; none if it is given none."""
        found = (given[at] for at in self._generators if at < len(given))
        return next((generators.at(it[0]) for it in found if is_other(it)), None)

    def after(self, given, results):
        """What it was given, as that is at its end: what it writes may have become larger."""
        now = list(given)
        for at, place in self._given_back:
            if at < len(now) and place < len(results):
                now[at] = results[place]
        return now

    def call(self, values):
        """Values in the order of the schema, as what it is given by place and by name."""
        for at, (value, kind) in enumerate(zip(values, self._types, strict=False)):
            if "ScalarType" in kind and isinstance(value, int):
                values[at] = DTYPES[value]
            elif is_other(value):
                # A generator's state was looked up when the operator began.
                values[at] = CPU if "Device" in kind else None
        pairs = list(zip(self._names, values, strict=False))
        arguments = [value for name, value in pairs if name is None]
        return arguments, {name: value for name, value in pairs if name is not None}

    def written(self, arguments, keywords):
        """What it writes among its arguments."""
        return leaves(
            arguments[at] if at < len(arguments) else keywords.get(name)
            for at, name in self._written
        )

    def places(self, results, place_of):
        """For each result, where its value goes: none for one that is also an argument, which the operator writes itself."""
        places = []
        for part, is_fresh in zip(results, self._is_fresh, strict=False):
            parts = part if isinstance(part, list) else [part]
            places.extend(place_of(it) if is_fresh else None for it in parts)
        return places


def _last(values, count):
    return values[len(values) - count :] if len(values) > count else values


# By what PyTorch hands over.
known = functools.cache(Operator)
