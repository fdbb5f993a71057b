"""What operators computed, in the order in which they were called, for `--schedule race`: two runs of a program part at the first
operator with other results.

Each line of the file is one operator: its place in the order (for a replay, that of the launch first), its name, the file and the
line of its call, the stream, a checksum of its results, and which operators wrote last what it read.
"""

import collections
import ctypes
import functools
import itertools
import os
import sys
import zlib

import torch
from torch.utils._pytree import tree_leaves

from .. import ending, written
from ..private_files import opener

# Records kept of a process.
MOST = 500_000
# Files that are not the program's.
OTHERS = (os.path.dirname(os.path.dirname(__file__)), os.path.dirname(torch.__file__), "<")
# In the place of a stream, for what the host computes.
HOST = "host"


class Call:
    """An operator that was called, and its launches where it was captured."""

    def __init__(self, order, name, given, line, stream):
        self.order, self.name, self.given = order, name, given
        self.line, self.stream = line, stream
        self.is_captured = False
        self.launches = collections.deque()

    def turn(self):
        """Its place in the order, and the stream, at the launch that is computed now."""
        if not self.is_captured:
            return (self.order, 0), self.stream
        launch, stream = self.launches.popleft() if self.launches else (0, "")
        return (launch, self.order), f"{stream}/{self.stream}"


class Results:
    """The file of this process."""

    def __init__(self, folder, recorder):
        self._recorder = recorder
        name = f"results-{os.environ.get('RANK', '0')}-{os.getpid()}.jsonl"
        self._file = open(os.path.join(folder, name), "wb", opener=opener)  # noqa: SIM115
        self._orders = itertools.count(1)
        self._left = MOST
        # The operator that wrote last to a storage, by the storage's address; and those in pinned memory that the GPU wrote to.
        # Other memory of the host is left out: what comes and goes there is not seen, and no work is late there.
        self._writers = {}
        self._from_gpu = set()
        self._captures = {}
        self._ends = False
        ending.at_end(self._flush)

    def call(self, function, given, stream):
        """An operator was called on a stream, with arguments."""
        return Call(next(self._orders), str(function), _described(given), _line(), str(stream))

    def captured(self, call, capture, recorder):
        """It was captured: each launch of the capture calls it anew."""
        call.is_captured = True
        if capture not in self._captures:
            self._captures[capture] = []
            launched = functools.partial(self._launched, self._captures[capture])
            recorder.values_at_launches(capture, launched)
        self._captures[capture].append(call)

    def _launched(self, calls):
        launch = next(self._orders), str(torch.cuda.current_stream().cuda_stream)
        for call in calls:
            call.launches.append(launch)

    def reported(self, function, given, computation, results, stream, moves):
        """A computation that reports what it wrote; one that `moves` only waits until bytes have been moved."""
        self._from_gpu.update(_storage(it) for it in filter(self._is_pinned, tree_leaves(results)))
        call = self.call(function, given, stream)
        return _Reported(self, call, computation, results, moves)

    def writers_of(self, tensors):
        """Which operators wrote last to what tensors lie in."""
        return [self._writers.get(_storage(it)) for it in tensors if self._place(it)]

    def wrote(self, call, writers, tensors, checksum):
        """An operator has written to tensors."""
        key, stream = call.turn()
        for tensor in filter(self._place, tensors):
            self._writers[_storage(tensor)] = key
        if self._left > 0:
            self._left -= 1
            file, line = call.line
            record = {
                "launch": key[0],
                "order": key[1],
                "name": call.name,
                "given": call.given,
                "file": file,
                "line": line,
                "stream": stream,
                "checksum": checksum,
                "writers": writers,
            }
            self._file.write(written.dumps(record) + b"\n")
            if self._ends:
                self._file.flush()

    def on_host(self, function, arguments, results):
        """An operator of the host has ended, which may use pinned memory that the GPU reads or writes."""
        given = list(filter(self._is_pinned, tree_leaves(arguments)))
        returned = [it for it in tree_leaves(results) if isinstance(it, torch.Tensor)]
        if not given and not any(map(self._is_pinned, returned)):
            return
        reads = any(_storage(it) in self._from_gpu for it in given)
        checksum = _checksum(returned, results) if reads else 0
        call = self.call(function, arguments, HOST)
        self.wrote(call, self.writers_of(given), returned, checksum)

    def _place(self, tensor):
        """Whether a tensor's memory is the GPU's (1), pinned memory (2), or neither (0)."""
        return self._recorder.place_of(_storage(tensor))

    def _is_pinned(self, value):
        is_of_host = isinstance(value, torch.Tensor) and value.device.type == "cpu"
        return is_of_host and value.layout == torch.strided and self._place(value) == 2

    def _flush(self):
        self._ends = True
        self._file.flush()


class _Reported:
    """A computation that says what it read and what it wrote."""

    def __init__(self, report, call, computation, results, moves):
        self._report, self._call = report, call
        self._computation, self._results, self._moves = computation, results, moves

    def belongs_to(self, capture, recorder):
        """The operator was captured: it is computed at each replay."""
        self._computation.belongs_to(capture, recorder)
        self._report.captured(self._call, capture, recorder)

    def run(self, objects=None, source=None, numbers=None):
        """Computes, and reports; whether it could be computed."""
        writers = self._report.writers_of(self._computation.given())
        is_computed = self._moves or self._computation.run(objects, source, numbers)
        written = self._computation.written()
        self._report.wrote(self._call, writers, written, _checksum(written, self._results))
        return is_computed


def _described(arguments):
    """A checksum of arguments: plain values, and the forms of tensors."""
    forms = [
        _form(it) if isinstance(it, torch.Tensor) else it
        for it in tree_leaves(arguments)
        if isinstance(it, (torch.Tensor, int, float, complex, str, type(None)))
    ]
    return zlib.crc32(repr(forms).encode())


def _form(tensor):
    strides = tensor.stride() if tensor.layout is torch.strided else str(tensor.layout)
    return tensor.shape, strides, str(tensor.dtype)


def _line():
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(OTHERS):
            return file, frame.f_lineno or 0
        frame = frame.f_back
    return "", 0


def _storage(tensor):
    return tensor.untyped_storage().data_ptr()


def _checksum(tensors, result=None):
    """That of what tensors hold; without any, that of a plain result."""
    if not tensors:
        return zlib.crc32(repr(result).encode())
    checksum = 0
    for tensor in tensors:
        dense = tensor.detach().resolve_conj().resolve_neg().contiguous()
        size = dense.numel() * dense.element_size()
        if size:
            held = (ctypes.c_char * size).from_address(dense.data_ptr())
            checksum = zlib.crc32(held, checksum)
    return checksum
