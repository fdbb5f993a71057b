"""Parameters whose `.grad` is memory of a graph."""


def static(tensors, held, outputs):
    """Those of the tensors whose gradient has a storage of `outputs`, a dictionary from address to graph.

    `held` has pairs of a named place and the tensor that is there now.
    """
    found = {}
    for entry, tensor in held:
        # `.grad` of what is no leaf would warn.
        if not tensor.requires_grad or not tensor.is_leaf or id(tensor) in found:
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
