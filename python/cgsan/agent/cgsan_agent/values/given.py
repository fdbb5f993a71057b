"""What an operator is given and gives back, as the virtual GPU hands it over: numbers and lists as they are, tensors as tuples.

A tensor's tuple has the address and the bytes of its storage, where in the storage it begins, its dtype, its sizes, its strides,
whether it is on the GPU, and what it holds if it is a number of the host's. A generator or a device comes as a tuple of one number,
which for a generator is its address.
"""

from typing import NamedTuple

import torch

from .memory import on_cpu, view

# `c10::ScalarType`, by number.
NAMES = """
uint8 int8 int16 int32 int64 float16 float32 float64 complex32 complex64 complex128 bool qint8 quint8 qint32 bfloat16 quint4x2
quint2x4 bits1x8 bits2x4 bits4x2 bits8 bits16 float8_e5m2 float8_e4m3fn float8_e5m2fnuz float8_e4m3fnuz uint16 uint32 uint64
"""
DTYPES = [getattr(torch, name, None) for name in NAMES.split()]


def is_other(value):
    """Whether it is a generator or a device."""
    return isinstance(value, tuple) and len(value) == 1


class Number(NamedTuple):
    """A tensor without dimensions of the host's memory: most are numbers of Python's, which PyTorch wraps."""

    value: int | float | complex | bool
    dtype: torch.dtype

    def tensor(self):
        """It as a tensor."""
        return torch.tensor(self.value, dtype=self.dtype, device="cpu")


class Reader:
    """Reads values. Those that are tensors of the host are noted, and sparse ones of the GPU."""

    def __init__(self):
        # The identities of such tensors of the host.
        self.of_host = set()
        # Sparse tensors by the identity of what was read of each.
        self.sparse = {}

    def values(self, values):
        """Values as the CPU's operator takes them."""
        return [self.value(it) for it in values]

    def value(self, value):
        """One of them."""
        if isinstance(value, tuple):
            return value if is_other(value) else self._tensor(value)
        if isinstance(value, list):
            return [self._in_list(it) for it in value]
        if isinstance(value, torch.Tensor):
            if not value.is_cuda:
                return self._noted(value)
            read = on_cpu(value)
            if value.layout is not torch.strided:
                self.sparse[id(read)] = value
            return read
        return value

    def _in_list(self, value):
        read = self.value(value)
        return read.tensor() if isinstance(read, Number) else read

    def _tensor(self, given):
        *form, is_on_gpu, held = given
        if held is not None:
            dtype = DTYPES[form[3]]
            return Number(torch.frombuffer(bytearray(held), dtype=dtype, count=1).item(), dtype)
        tensor = view(*form[:3], DTYPES[form[3]], *form[4:])
        return tensor if is_on_gpu else self._noted(tensor)

    def _noted(self, tensor):
        self.of_host.add(id(tensor))
        return tensor


def place(result):
    """The tensor in whose memory a result lies on the GPU; none for anything else."""
    if isinstance(result, tuple) and not is_other(result):
        *form, is_on_gpu, _ = result
        return view(*form[:3], DTYPES[form[3]], *form[4:]) if is_on_gpu else None
    if isinstance(result, torch.Tensor):
        return on_cpu(result) if result.is_cuda else None
    return None
