"""What a region leaves behind: the memory that it wrote and that was there before, and the tensors that names lead to."""

import torch

from ..replays import paths, search
from ..values.memory import on_cpu, view
from . import compare, names

# Bytes that are kept of what one run leaves, and elements of a tensor that come into it.
KEPT = 32 << 20
# What a run did with memory that was there before: it wrote all of it first and read that, it wrote what it did not read, or it went on
# with what it found there.
SCRATCH, GIVEN, STATE = "scratch", "given", "state"
# By type, how far apart two results of other operators may be, as a part of the tensor's own size.
ROUNDING = {
    torch.float64: 1e-7,
    torch.float32: 1e-3,
    torch.float16: 1e-2,
    torch.bfloat16: 5e-2,
    torch.complex64: 1e-3,
    torch.complex128: 1e-7,
}


class TooLarge(Exception):
    """It leaves more than is kept."""


class Before:
    """What there was before the region ran."""

    def __init__(self, source, variables):
        self._source = source
        # Where each path led.
        self._led = {path: _place(it) for path, it in _tensors(source, variables)}
        # By storage, what memory held that the region has written, before it did; and its type.
        self._held = {}

    def keep(self, tensors):
        """Keeps what tensors of the GPU hold that are about to be written."""
        for tensor in tensors:
            storage = tensor.untyped_storage()
            address, size = storage.data_ptr(), storage.nbytes()
            if address not in self._held:
                whole = view(address, size, 0, torch.uint8, (size,), (1,))
                self._held[address] = whole.clone(), tensor.dtype

    def left(self, operators, variables):
        """What the region has left that ran these operators, once its variables are these."""
        uses = _uses(operators)
        written = {
            address: (use, held, dtype)
            for address, (held, dtype) in self._held.items()
            if (use := uses.get(address)) is not None
        }
        found = {}
        for path, tensor in _tensors(self._source, variables):
            place = _place(tensor)
            if self._led.get(path) != place or place[0] in written:
                found[path] = tensor
        return Left(written, found)


class Left:
    """What one run has left."""

    def __init__(self, written, found):
        # By storage: what was done with it, what it held before, and its type.
        self._written = written
        # By path, a tensor of the GPU that it leads to, and led elsewhere before or was written.
        self._found = found

    def as_plain(self):
        """What can be marshalled of it."""
        size = sum(held.numel() for _, held, _ in self._written.values())
        size += sum(it.numel() * it.element_size() for it in self._found.values())
        if size > KEPT:
            raise TooLarge
        return (
            [
                (address, use, _bytes(_memory(address, held)))
                for address, (use, held, _) in self._written.items()
            ],
            [
                (path, str(it.dtype), tuple(it.shape), _place(it)[0], _bytes(on_cpu(it)))
                for path, it in self._found.items()
            ],
        )

    def differs_from(self, other):
        """Whether the program could tell it from what another run has left, as plain values; None if they have nothing in common."""
        written, found = other
        written = {address: (use, held) for address, use, held in written}
        compared, seen = 0, set()
        for path, dtype, shape, address, held in found:
            own = self._found.get(path)
            if own is None:
                continue
            place = _place(own)[0]
            if place == address and (place in written or place in self._written):
                continue
            compared += 1
            seen.update((place, address))
            if str(own.dtype) != dtype or tuple(own.shape) != shape:
                return True
            if not _are_close(on_cpu(own).contiguous(), _tensor(held, own.dtype)):
                return True
        for address in written.keys() | self._written.keys():
            differs = self._differs_at(address, written.get(address), address in seen)
            if differs is not None:
                compared += 1
                if differs:
                    return True
        return False if compared else None

    def _differs_at(self, address, other, is_result):
        """Whether what lies there is something else than after the other run; None where nobody looks at it."""
        use, before, dtype = self._written.get(address, (None, None, None))
        other_use, held = other or (None, None)
        if {use, other_use} <= {SCRATCH, None} or (is_result and None in (use, other_use)):
            return None
        if use is None and other_use == GIVEN:
            # It is what a replay gives its result in, and nobody else writes there.
            return None
        if use is None:
            dtype = torch.uint8
            now = view(address, len(held), 0, dtype, (len(held),), (1,))
        else:
            now = _memory(address, before)
        then = before if held is None else _tensor(held, torch.uint8)
        if now.numel() % dtype.itemsize:
            dtype = torch.uint8
        return not _are_close(now.view(dtype), then.view(dtype))


def _tensors(source, variables):
    """The tensors of the GPU that the region's variables lead to, each with its path."""
    own = variables if source.is_function() else {}
    roots = [search.Root(names.of_region_and_module(source, own))]
    for visited, step, value in search.walk(roots):
        if not issubclass(type(value), torch.Tensor):
            continue
        path = paths.text(search.path_to(visited, step))
        if value.is_cuda and value.layout is torch.strided:
            yield path, value.detach()
        if value.is_leaf and value.grad is not None and value.grad.is_cuda:
            yield f"{path}.grad", value.grad.detach()


def _place(tensor):
    storage = tensor.untyped_storage().data_ptr()
    return storage, tensor.storage_offset(), tuple(tensor.shape), tensor.stride()


def _memory(address, before):
    """What lies now where something lay before."""
    return view(address, before.numel(), 0, torch.uint8, (before.numel(),), (1,))


def _bytes(tensor):
    return tensor.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes()


def _tensor(held, dtype):
    if not held:
        return torch.empty(0, dtype=dtype)
    return torch.frombuffer(bytearray(held), dtype=dtype)


def _are_close(one, other):
    """Whether two tensors of one type hold the same, but for rounding."""
    one, other = one.reshape(-1), other.reshape(-1)
    if one.dtype not in ROUNDING:
        return torch.equal(one.view(torch.uint8), other.view(torch.uint8))
    rounding = ROUNDING[one.dtype]
    wide = torch.complex128 if one.is_complex() else torch.float64
    one, other = one.to(wide), other.to(wide)
    if not torch.equal(one.isfinite(), other.isfinite()):
        return False
    finite = one.isfinite()
    one, other = one[finite], other[finite]
    if not one.numel():
        return True
    size = other.abs().pow(2).mean().sqrt()
    return bool(((one - other).abs() <= rounding * torch.maximum(other.abs(), size)).all())


def _uses(operators):
    """What was done with each storage that was there before."""
    filled, uses = {}, {}
    for name, parts, _ in operators:
        fills = compare.overwrites(name)
        for it in parts:
            if not compare.is_tensor(it) or it[0] < 0:
                continue
            address, offset, sizes, _, is_written, _ = it
            end = offset + _count(sizes)
            own = filled.setdefault(address, [])
            if is_written and fills:
                own.append((offset, end))
                uses.setdefault(address, GIVEN)
                continue
            is_known = any(start <= offset and end <= stop for start, stop in own)
            if not is_known:
                uses[address] = STATE
            elif uses[address] == GIVEN:
                uses[address] = SCRATCH
    return uses


def _count(sizes):
    count = 1
    for it in sizes:
        count *= it
    return count
