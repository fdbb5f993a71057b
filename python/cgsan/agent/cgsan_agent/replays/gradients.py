"""Parameters whose `.grad` is memory of a graph."""

from . import paths


def static(tensors, named, scopes, outputs):
    """The tensors among `named` whose gradient has a storage of `outputs`, a dictionary from address to graph."""
    found = {}
    for entry in named:
        tensor = entry.place.value(scopes)
        if tensor is paths.MISSING or not tensors.is_tensor(tensor) or id(tensor) in found:
            continue
        # `.grad` of what is no leaf would warn.
        if not tensor.is_leaf or not tensor.requires_grad:
            continue
        grad = tensor.grad
        address = None if grad is None else tensors.storage(grad)
        if address in outputs:
            found[id(tensor)] = {
                "name": entry.place.name,
                "address": address,
                "of_graph": outputs[address],
            }
    return list(found.values())
