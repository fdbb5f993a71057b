"""An operator's arguments and results: values, and lists of values. PyTorch's functions for trees know more forms, and are slower."""

import torch


def leaves(values):
    """All values, those in lists one by one."""
    found = []
    for value in values:
        if isinstance(value, (list, tuple)):
            found.extend(leaves(value))
        else:
            found.append(value)
    return found


def tensors(values):
    """Those of the values that are tensors."""
    return [it for it in leaves(values) if isinstance(it, torch.Tensor)]


def mapped(change, values):
    """The same values in the same lists, changed."""
    # Tuples with names are values by themselves.
    return [
        mapped(change, value) if type(value) in (list, tuple) else change(value) for value in values
    ]


def both_mapped(change, arguments, keywords):
    """The same for arguments that are given by place and by name."""
    by_name = dict(zip(keywords, mapped(change, keywords.values()), strict=True))
    return mapped(change, arguments), by_name
