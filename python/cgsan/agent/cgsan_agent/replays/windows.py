"""Lists of tensors that slide: each step drops some and takes in new ones."""

import contextlib
import sys
from collections import deque

from .plain_values import Length

# Tensors of one list that are looked at.
ENTRIES = 64


class Window(Length):
    """The tensors that a list holds, by where their storages begin."""

    def __new__(cls, addresses):
        """Of these addresses."""
        made = super().__new__(cls, len(addresses))
        made.addresses = addresses
        return made

    def __eq__(self, other):
        return type(other) is Window and self.addresses == other.addresses

    def __hash__(self):
        return hash(self.addresses)

    def kept_of(self, before):
        """How many tensors it still has of as many before, moved on to other places; 0 if it did not slide."""
        one, other = before.addresses, self.addresses
        kept = len({*one} & {*other})
        are_distinct = len({*one}) == len({*other}) == len(one) == len(other)
        if not are_distinct or not 0 < kept < len(one):
            return 0
        return kept if one[-kept:] == other[:kept] or one[:kept] == other[-kept:] else 0


def window(value):
    """The tensors of a list or a deque; None if it is another thing, or has other entries as well."""
    if type(value) not in (list, deque) or not 1 < len(value) <= ENTRIES:
        return None
    tensor = sys.modules["torch"].Tensor
    entries = list(value)
    if not all(issubclass(type(it), tensor) for it in entries):
        return None
    with contextlib.suppress(RuntimeError), sys.modules["torch"]._C.DisableTorchFunction():
        return Window(tuple(it.untyped_storage().data_ptr() for it in entries))
    return None
