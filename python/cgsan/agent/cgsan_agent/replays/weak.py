"""References to objects of the program that keep none of them alive.

`torch.utils.swap_tensors`, which modules call where they give parameters other contents, refuses tensors that anything refers to
weakly. What refers to them here lets go meanwhile.

Streams and events of PyTorch 2.11 can be referred to weakly, but references to one that is gone lead to memory that others use by then:
what they do there takes the program down. So these are kept alive, which PyTorch's streams are anyhow.
"""

import functools
import sys
import weakref

from ..own_frames import Hidden


class Weak:
    """A reference to an object; called, it gives the object, or None once that is gone."""

    __slots__ = ("__weakref__", "_reference")

    def __init__(self, value):
        self.hold(value)

    def __call__(self):
        return self._reference() if self._reference is not None else None

    def hold(self, value):
        if _leaves_dangling(value):
            self._reference = lambda: value
            return
        self._reference = _Reference(value)
        self._reference.holder = weakref.ref(self)

    def let_go(self):
        self._reference = None


def _leaves_dangling(value):
    """Whether PyTorch may free it without clearing what refers to it weakly."""
    torch = sys.modules.get("torch")
    kinds = (getattr(torch, name, None) for name in ("Stream", "Event"))
    return any(issubclass(type(value), kind) for kind in kinds if kind is not None)


class _Reference(weakref.ref):
    __slots__ = ("holder",)


def let_pytorch_swap():
    """Has PyTorch swap tensors that are referred to here as it swaps others. To be called before there are any."""
    utils = sys.modules.get("torch.utils")
    swap = getattr(utils, "swap_tensors", None)
    if swap is None or hasattr(swap, "__cgsan__"):
        return

    @functools.wraps(swap)
    def swap_tensors(*tensors, **named):
        holders = [(it, holder) for it in (*tensors, *named.values()) for holder in _holders(it)]
        for _, holder in holders:
            holder.let_go()
        try:
            with Hidden():
                return swap(*tensors, **named)
        finally:
            for value, holder in holders:
                holder.hold(value)

    swap_tensors.__cgsan__ = True
    utils.swap_tensors = swap_tensors


def _holders(value):
    """What refers to an object from here."""
    references = (it for it in weakref.getweakrefs(value) if type(it) is _Reference)
    return [holder for holder in (it.holder() for it in references) if holder is not None]
