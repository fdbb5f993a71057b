"""Parameters whose `.grad` is memory of a graph."""


def of_leaf(tensor):
    """The gradient of a tensor that autograd gives one, or None. Call it undispatched."""
    # `.grad` of what is no leaf would warn.
    return tensor.grad if tensor.requires_grad and tensor.is_leaf else None


def static(tensors, held, outputs):
    """Those of the tensors whose gradient has a storage of `outputs`, a dictionary from address to graph.

    `held` has pairs of a named place and the tensor that is there now.
    """
    found = {}
    for entry, tensor in held:
        grad = of_leaf(tensor)
        address = None if grad is None else tensors.storage(grad)
        if address in outputs:
            told = {
                "name": entry.place.name,
                "address": address,
                "of_graph": outputs[address],
            }
            found[id(tensor)] = told, tensors.storage(tensor)
    return [told for told, _ in found.values()], [own for _, own in found.values()]
