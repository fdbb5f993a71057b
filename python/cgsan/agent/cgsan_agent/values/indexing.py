"""Masks as indexes: how many elements they choose is a value, and the virtual GPU's own count of them is none."""

import torch

from .memory import is_on_gpu, on_cpu

aten = torch.ops.aten
INDEXING = (
    aten.index,
    aten.index_put,
    aten.index_put_,
    aten._index_put_impl_,
    aten._unsafe_index,
    aten._unsafe_index_put,
)
MASKS = (torch.bool, torch.uint8)


def takes_masks(function):
    """Whether an operator indexes with masks."""
    return function.overloadpacket in INDEXING


def with_positions(arguments, recorder):
    """The arguments of such an operator with the positions that masks choose in place of the masks, which the host waits for as
    on a GPU."""
    if not is_on_gpu(arguments[0]):
        return arguments
    positions = []
    for index in arguments[1]:
        if isinstance(index, torch.Tensor) and index.dtype in MASKS:
            recorder.values_wait(torch.cuda.current_stream(arguments[0].device).cuda_stream)
            positions.extend(_positions(index, arguments[0].device))
        else:
            positions.append(index)
    return (arguments[0], positions, *arguments[2:])


def _positions(mask, device):
    mask = on_cpu(mask) if is_on_gpu(mask) else mask
    for position in mask.nonzero(as_tuple=True):
        on_device = torch.empty(position.shape, dtype=position.dtype, device=device)
        on_cpu(on_device).copy_(position)
        yield on_device
