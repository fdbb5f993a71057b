"""Addresses of tensors, read without a call to CUDA and without code of the program."""

import sys


class Tensors:
    """Reads tensors of the PyTorch that the program has imported."""

    def __init__(self):
        torch = sys.modules["torch"]
        self._tensor = torch.Tensor
        self._parameter = torch.nn.Parameter
        # Without it a subclass or a mode of the program would be asked for each attribute.
        self.undispatched = torch._C.DisableTorchFunction

    def is_tensor(self, value):
        """Whether it is one. `type` and not `isinstance`, which asks the object."""
        return issubclass(type(value), self._tensor)

    def is_parameter(self, tensor):
        """Whether a tensor is a parameter of a module, by its class."""
        return issubclass(type(tensor), self._parameter)

    def storage(self, tensor):
        """The address at which its storage begins, or None if it has no memory. Call it undispatched."""
        try:
            address = tensor.data_ptr()
            return address - tensor.storage_offset() * tensor.element_size() if address else None
        except Exception:
            return None

    def of_tensor(self, value):
        """The address of the storage if `value` is a tensor, or None."""
        return self.storage(value) if self.is_tensor(value) else None
