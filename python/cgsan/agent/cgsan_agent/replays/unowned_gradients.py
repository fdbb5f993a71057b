"""Gradients in the memory of a graph that belong to parameters which no optimizer has when it is captured: one may be made later."""

from . import optimizers, search

# Gradients remembered of one graph, and replays at which an optimizer is looked for.
GRADIENTS = 1_000
LOOKS = 8


class UnownedGradients:
    """Those of one graph, by where their storages begin, each with the storage of its parameter."""

    def __init__(self, tensors):
        self._tensors = tensors
        self._parameters = {}
        self._looks = 0

    def meet(self, gradient, parameter):
        """Takes note of the storage of a gradient that a parameter has when the capture has ended."""
        storage = self._tensors.storage(parameter)
        if storage and len(self._parameters) < GRADIENTS:
            self._parameters[gradient] = storage

    def leave_out(self, buffers):
        """Leaves out those that an optimizer has already."""
        for it in buffers:
            self._parameters.pop(it["gradient"], None)

    def look(self, beginnings):
        """Those that an optimizer has by now, as they are told; `beginnings` gives the roots of a search."""
        self._looks += 1
        if not self._parameters or self._looks > LOOKS:
            return []
        owned = {
            self._tensors.storage(parameter)
            for _, _, value in search.walk(beginnings())
            if optimizers.is_optimizer(type(value))
            for parameter in optimizers.parameters_of(self._tensors, value)
        }
        found = [
            {"gradient": gradient, "parameter": parameter}
            for gradient, parameter in self._parameters.items()
            if parameter in owned
        ]
        self.leave_out(found)
        return found
