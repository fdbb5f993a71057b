"""Arrays of NumPy in the memory of tensors, as `tensor.numpy()` gives them."""

import sys

# Arrays looked behind: each view of one refers to it.
VIEWS = 8


def is_array(value):
    """Whether it is an array of NumPy, if the program has imported it."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and type(value) is getattr(numpy, "ndarray", None)


def tensor_of(array):
    """What an array has its memory from: the tensor that it was made of, or something else."""
    for _ in range(VIEWS):
        if not is_array(array):
            break
        array = array.base
    return array


def address(array):
    """Where its first element lies."""
    return array.__array_interface__["data"][0]
