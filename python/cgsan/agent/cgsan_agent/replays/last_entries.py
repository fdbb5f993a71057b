"""What was put last into a container: tensors, or addresses of memory."""

import sys
from collections import deque

# Where addresses of tensors lie in a process of Linux, and what PyTorch's allocator aligns them to.
ADDRESSES = (1 << 32, 1 << 47)
ALIGNED = 512


def hold_tensor(container):
    """Whether tensors are collected there: what a capture leaves in it is its static output, not state of the host."""
    tensor = sys.modules["torch"].Tensor
    return any(issubclass(type(part), tensor) for part in _last_parts(container))


def hold_address(container):
    """Whether addresses of memory are collected there, which are those of the graph, and no replay has others."""
    low, high = ADDRESSES
    parts = _last_parts(container)
    return any(type(it) is int and low <= it < high and it % ALIGNED == 0 for it in parts)


def _last_parts(container):
    """What was put last into a container."""
    if type(container) is dict:
        last = next(reversed(container.values()), None)
    elif type(container) in (list, deque) and container:
        last = container[-1]
    else:
        return ()
    return last if type(last) in (tuple, list) else (last,)
