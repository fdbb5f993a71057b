"""Results of operators as the CPU computes them, in a child that has the memory of the virtual GPU as it was."""

import torch
from torch.utils._pytree import tree_map_only

from ..values.beneath import BeneathAutograd
from ..values.computation import Computation
from ..values.memory import on_cpu
from ..values.operator import known

CPU = torch.device("cpu")
# How the virtual GPU hands over a generator or a device, of which nothing is asked here.
OTHER = (0,)


class Computed:
    """Gives results with values."""

    computes = True

    def __init__(self, is_to_write):
        # Called with tensors from before the region that are about to be written.
        self.is_to_write = is_to_write
        # One thread computes: no other one of the program's is in the child.
        torch.set_num_threads(1)
        # Whether random numbers were drawn, which a region that runs otherwise draws in another order.
        self.has_drawn = False

    def __call__(self, operator, arguments, keywords, device):
        """What the operator gives, computed. Raises what says why it cannot be."""
        schema = operator._schema
        with BeneathAutograd():
            if _is_for_host(operator, arguments, keywords):
                return _on_host(operator, arguments, keywords)
            if known(operator).has_shapes_of_values:
                # On the virtual GPU, a kernel that counts has counted nothing.
                found = _on_host(operator, arguments, keywords)
                return tree_map_only(torch.Tensor, lambda it: _moved(it, device), found)
            is_in_place = bool(schema.returns) and all(
                it.alias_info is not None and it.alias_info.is_write for it in schema.returns
            )
            given = _in_order(schema, arguments, keywords)
            objects = () if is_in_place or not schema.returns else operator(*arguments, **keywords)
            results = list(objects) if len(schema.returns) != 1 or is_in_place else [objects]
            self._compute(known(operator), given, results)
            return objects

    def _compute(self, operator, given, results):
        failed = []

        def fails(error):
            failed.append(error)
            return False

        self.has_drawn |= operator.draws and operator.draws_from(given)
        if not Computation(operator, given, results, None, fails).run(results):
            raise failed[0]


def _is_for_host(operator, arguments, keywords):
    """Whether an operator gives the host something: a number, or a tensor in its own memory."""
    schema = operator._schema
    if operator._schema.name == "aten::copy_":
        return not arguments[0].is_cuda
    device = keywords.get("device")
    if device is not None and torch.device(device).type == "cpu":
        return True
    kinds = [str(it.real_type) for it in schema.returns]
    return bool(kinds) and not any("Tensor" in it for it in kinds)


def _on_host(operator, arguments, keywords):
    arguments, keywords = tree_map_only(
        torch.Tensor, lambda it: on_cpu(it) if it.is_cuda else it, (arguments, keywords)
    )
    return operator(*arguments, **keywords)


def _moved(tensor, device):
    """The same on the GPU."""
    made = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)
    on_cpu(made).copy_(tensor)
    return made


def _in_order(schema, arguments, keywords):
    """What an operator is given, in the order of its schema."""
    given = []
    for at, argument in enumerate(schema.arguments):
        if at < len(arguments):
            value = arguments[at]
        else:
            value = keywords.get(argument.name, argument.default_value)
        kind = str(argument.real_type)
        if value is not None and ("Device" in kind or "Generator" in kind):
            value = OTHER
        elif isinstance(value, tuple):
            value = list(value)
        given.append(value)
    return given
