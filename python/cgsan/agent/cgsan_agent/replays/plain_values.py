"""What is compared of a value of the host: a number or a text, how many entries a container has, where an iterator stands, and
numbers in memory."""

import contextlib
import contextvars
import ctypes
import sys
from collections import deque

from . import advances, arrays, iterators, random_numbers

# Characters kept of a text: a longer one is compared by its length.
TEXT = 200
# Numbers that are compared of an array or a tensor, and told of.
NUMBERS = 1_024
TOLD = 4
# Of NumPy's types of numbers, and of PyTorch's, what `memoryview` calls them.
_OF_ARRAYS = {
    **{"|b1": "?", "|i1": "b", "|u1": "B", "<i2": "h", "<u2": "H", "<i4": "i", "<u4": "I"},
    **{"<i8": "q", "<u8": "Q", "<f4": "f", "<f8": "d"},
}
_OF_TENSORS = {
    **{"bool": "?", "int8": "b", "uint8": "B", "int16": "h", "int32": "i", "int64": "q"},
    **{"float32": "f", "float64": "d"},
}

# Whether tensors of the host may be read: pinned ones are not there in a copy of a process on a real GPU.
reads_tensors = True


class Length(int):
    """The number of entries of a list."""


class Entries(Length):
    """The number of entries of a dictionary or a set."""


class State(int):
    """The state of a generator of random numbers."""


class Position(int):
    """Where an iterator stands."""

    def __new__(cls, position, iterator):
        """Of one iterator, which is not kept alive. What is told is its class."""
        made = super().__new__(cls, position)
        made._iterator = id(iterator)
        made.kind = type(iterator).__name__
        return made

    def is_of(self, other):
        """Whether another value is where the same iterator stood."""
        return type(other) is Position and self._iterator == other._iterator


class Contents(bytes):
    """The numbers of an array or of a tensor of the host."""

    def __new__(cls, raw, kind):
        """As they lie in memory, and of which type they are."""
        made = super().__new__(cls, raw)
        made.kind = kind
        return made

    def numbers(self):
        """The numbers themselves."""
        return memoryview(self).cast(self.kind).tolist()

    def words(self, other):
        """Some of them, from the first that is another one in `other`."""
        own, others = self.numbers(), other.numbers()
        pairs = zip(own, others, strict=False)
        first = next((at for at, (one, two) in enumerate(pairs) if one != two), 0)
        before = "…, " if first else ""
        behind = ", …" if first + TOLD < len(own) else ""
        return f"[{before}{', '.join(str(it) for it in own[first : first + TOLD])}{behind}]"


# What a new entry of a dictionary may be that begins at nothing.
BEGINNING = (int, float, Length)


def plain(value):
    """A number or a text as it is, the length of a container, or None for anything else."""
    kind = type(value)
    if kind is int or kind is float or kind is bool:
        return value
    if kind is str:
        return value if len(value) <= TEXT else Length(len(value))
    if kind in (list, deque):
        return Length(len(value))
    if kind is set:
        return Entries(len(value))
    if issubclass(kind, dict):
        return Entries(dict.__len__(value))
    if kind is contextvars.ContextVar:
        return _in_context(value)
    found = _contents(value)
    if found is not None:
        return found
    position = iterators.position(value)
    if position is not None:
        return Position(position, value)
    state = random_numbers.state(value)
    return None if state is None else State(state)


def kind_of(value):
    """What of it may change, as `advances` calls it."""
    if type(value) is State:
        return advances.RANDOM
    if type(value) is Position:
        return advances.POSITION
    if type(value) is Contents:
        return advances.CONTENTS
    return advances.LENGTH if isinstance(value, Length) else advances.VALUE


def same(before, after):
    """Whether nothing has changed."""
    return before is after or (type(before) is type(after) and before == after)


def text(value, other):
    """A value in words, beside another one of the same place."""
    if type(value) is State:
        return ""
    if type(value) is Position:
        return value.kind
    if type(value) is Contents:
        return value.words(other) if type(other) is Contents else repr(value.numbers()[:TOLD])
    return str(int(value)) if isinstance(value, Length) else repr(value)


def _in_context(variable):
    """The number that a variable of the context has in this thread."""
    value = variable.get(None)
    return value if type(value) in (int, float, bool) else None


def _contents(value):
    """The numbers in memory that Python or PyTorch has allocated itself."""
    if arrays.is_array(value):
        kind = _OF_ARRAYS.get(value.dtype.str)
        is_told = kind and 0 < value.size <= NUMBERS and arrays.tensor_of(value) is None
        return Contents(value.tobytes(), kind) if is_told else None
    torch = sys.modules["torch"]
    if type(value) is not torch.Tensor or not reads_tensors:
        return None
    with contextlib.suppress(RuntimeError), torch._C.DisableTorchFunction():
        kind = _OF_TENSORS.get(str(value.dtype).rpartition(".")[2])
        size = value.numel() * value.element_size()
        if kind and 0 < value.numel() <= NUMBERS and _lies_here(torch, value, size):
            return Contents(ctypes.string_at(value.data_ptr(), size), kind)
    return None


def _lies_here(torch, tensor, size):
    """Whether its numbers lie in the memory of the host, one behind the other."""
    if tensor.device.type != "cpu" or tensor.layout is not torch.strided:
        return False
    if torch._C._functorch.is_functorch_wrapped_tensor(tensor) or not tensor.is_contiguous():
        return False
    before = tensor.storage_offset() * tensor.element_size()
    return before + size <= tensor.untyped_storage().nbytes() and bool(tensor.data_ptr())
