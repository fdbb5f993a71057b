"""What a kernel of Triton accesses while it is computed. A GPU refuses addresses at which no memory is (700, "an illegal memory access"); in
this process they would end the program, or be memory of something else."""

import bisect
import sys
import threading

import torch
from torch.utils._pytree import tree_leaves

from .. import exceptions
from ..kernels import launches

# What a GPU maps at once, in bytes: behind the end of an allocation, up to there, it refuses nothing.
PAGE = 2 << 20
# `CUDA_ERROR_ILLEGAL_ADDRESS`.
CODE = 700

_thread = threading.local()


class IllegalAccess(Exception):
    """An access to memory that is not there, with the stack of the kernel's line."""

    def __init__(self, reason, stack):
        super().__init__(reason)
        self.stack = stack


class Bounds:
    """The memory that a launch may access; in force while it is entered."""

    def __init__(self, recorder, names, given, handed_over):
        self._recorder = recorder
        # The begin and the end of each tensor's memory, with the name of its argument.
        self._tensors = [
            (*_ends(tensor), name)
            for name, values in zip(names, given, strict=False)
            for tensor in map(launches.plain, tree_leaves(values))
            if isinstance(tensor, torch.Tensor)
        ]
        # By where it begins: what stands in for a storage, where it ends, and what it stands in for.
        self._stand_ins = sorted(
            {
                (*_ends_of_storage(wide), narrow.untyped_storage().data_ptr(), narrow.itemsize)
                for narrow, wide in handed_over
            }
        )
        # Where memory begins and ends that was found so far.
        self._known = set()

    def __enter__(self):
        _thread.bounds = self

    def __exit__(self, *_):
        _thread.bounds = None

    def check(self, addresses, size, verb):
        """Looks at what so many bytes are read from or written to, an array. Raises `IllegalAccess`; or `NotImplementedError` where a
        GPU has memory and this process has not."""
        if addresses.size == 0:
            return
        first, last = int(addresses.min()), int(addresses.max())
        if any(begin <= first and last + size <= end for begin, end in self._known):
            return
        places = sorted(set(addresses.ravel().tolist()))
        at = 0
        while at < len(places):
            found = self._memory_at(places[at], size, verb)
            self._known.add(found)
            at = bisect.bisect_right(places, found[1] - size, lo=at)

    def _memory_at(self, address, size, verb):
        for begin, end, _, _ in self._stand_ins:
            if begin <= address and address + size <= end:
                return begin, end
        found = self._recorder.memory_at(address)
        if found is not None and address + size <= found[1]:
            return found
        # A block may follow another one without a gap.
        if found is not None and self._recorder.memory_at(found[1]) is not None:
            return address, address + size
        self._refuse(address, verb)

    def _refuse(self, address, verb):
        original = self._original(address)
        begin, end, name = min(
            self._tensors, key=lambda it: _distance(original, it), default=(0, 0, "")
        )
        far = original - end + 1 if original >= end else begin - original
        reason = f"it {verb} {far} bytes {'behind' if original >= end else 'before'} `{name}`"
        if not name:
            reason = f"it {verb} an address at which no memory is"
        if original != address and self._recorder.memory_at(original) is not None:
            raise NotImplementedError(f"{reason}, a tensor of bfloat16 that is computed apart")
        if self._recorder.memory_at(original & -PAGE) is not None:
            raise NotImplementedError(f"{reason}, in the rest of a page")
        raise IllegalAccess(reason, exceptions.stack(sys._getframe(1)))

    def _original(self, address):
        """The address that is meant, where a storage has a stand-in."""
        for begin, _, narrow, itemsize in reversed(self._stand_ins):
            if address >= begin:
                return narrow + (address - begin) * itemsize // torch.float32.itemsize
        return address


def watch(interpreter):
    """Has what kernels access looked at first."""
    builder = interpreter.InterpreterBuilder

    def looked_at(name, verb, which):
        function = getattr(builder, name)

        def call(self, *arguments, **keywords):
            bounds = getattr(_thread, "bounds", None)
            if bounds is not None:
                pointers, mask = which(*arguments, **keywords)
                size = max(pointers.get_element_ty().primitive_bitwidth // 8, 1)
                data = pointers.data
                # That of a block with bounds is an array, others are Triton's.
                mask = mask if mask is None or hasattr(mask, "all") else mask.data
                if mask is not None and not mask.all():
                    data = data[interpreter.np.broadcast_to(mask, data.shape)]
                bounds.check(data, size, verb)
            return function(self, *arguments, **keywords)

        setattr(builder, name, call)

    looked_at("create_masked_load", "reads", lambda pointers, mask, *_, **__: (pointers, mask))
    looked_at(
        "create_masked_store", "writes", lambda pointers, _, mask, *rest, **__: (pointers, mask)
    )
    looked_at("create_atomic_cas", "writes", lambda pointers, *_: (pointers, None))
    looked_at(
        "create_atomic_rmw", "writes", lambda _, pointers, value, mask, *rest: (pointers, mask)
    )


def _ends(tensor):
    begin = tensor.data_ptr()
    if tensor.numel() == 0:
        return begin, begin
    last = sum((size - 1) * step for size, step in zip(tensor.shape, tensor.stride(), strict=True))
    return begin, begin + (last + 1) * tensor.itemsize


def _ends_of_storage(tensor):
    storage = tensor.untyped_storage()
    return storage.data_ptr(), storage.data_ptr() + storage.nbytes()


def _distance(address, memory):
    begin, end, _ = memory
    return max(begin - address, address - end)
