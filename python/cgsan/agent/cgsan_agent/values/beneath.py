"""Computing as in an operator: without autograd, modes of the program, and what else PyTorch does above an operator's kernel."""

import torch

# Views that conjugate or negate are what operators are given: kernels are given what these stand for.
OF_VIEWS = torch._C.DispatchKeySet(torch._C.DispatchKey.Conjugate).add(
    torch._C.DispatchKey.Negative
)
# It would do so again where a thread computes for another, or in the middle of something else.
ABOVE = (
    torch._C._dispatch_keyset_full()
    - torch._C._dispatch_keyset_full_after(torch._C.DispatchKey.Python)
    - OF_VIEWS
)


def enter():
    """Goes beneath all that; returns what leaves it."""
    context = BeneathAutograd()
    context.__enter__()
    return context.__exit__


class BeneathAutograd:
    """A context for it."""

    __slots__ = "_guards"

    def __enter__(self):
        self._guards = torch._C._ExcludeDispatchKeyGuard(ABOVE), torch._C.DisableTorchFunction()
        for guard in self._guards:
            guard.__enter__()

    def __exit__(self, *exception):
        for guard in reversed(self._guards):
            guard.__exit__(*exception)
