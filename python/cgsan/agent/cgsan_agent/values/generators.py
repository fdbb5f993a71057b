"""The state of a generator of CUDA: generators can share one, and `graphsafe_set_state` gives a generator another's.

A graph knows the states that its operators drew from, and moves those on at each replay, whatever generators have them by then.
"""

import ctypes
import functools
import os

import torch

from .. import torch_version

# A generator is PyTorch's `CUDAGeneratorImpl`: so many words, one of which is the address of its state.
WORDS = 11


# Which word of a generator is the address of its state, once that is known.
_place = None


class State:
    """The state that a generator has now."""

    def __init__(self, generator):
        # Another generator with the same state, which it keeps when the first one is given another.
        self.generator = generator.graphsafe_get_state()
        # The same for two states only if they are one; valid while one of them is kept.
        self.key = generator if _place is None else _words(generator)[_place]


def learn():
    """Looks up where the state is, when CUDA has just been set up: in a capture, no generator may be made."""
    global _place
    one = torch.cuda.default_generators[0]
    same, other = one.graphsafe_get_state(), one.clone_state()
    words = enumerate(zip(_words(one), _words(same), _words(other), strict=True))
    # The state comes last; before it lies padding, which may be anything.
    _place = max((place for place, (a, b, c) in words if a == b != c), default=None)


# Since this version, a generator tells in a capture what it would have at a replay, and takes what it is set to (catalogue, CG117).
TELLS_IN_CAPTURES = (2, 10)


def captured_offset(generator):
    """The offset of a generator in the capture that the current stream is part of, beside the one that replays begin at; none where
    PyTorch does not tell it."""
    if torch_version.running(torch) < TELLS_IN_CAPTURES:
        return None
    try:
        state = generator.get_state()
    except RuntimeError:
        return None
    # Two words: the seed and the offset.
    return ctypes.c_int64.from_address(state.data_ptr() + 8).value


def at(address):
    """The generator at an address; none if PyTorch has no function that is known to find it."""
    for generator in torch.cuda.default_generators:
        if generator._cdata == address:
            return generator
    wrap = _wrap()
    return wrap and wrap(ctypes.byref(ctypes.c_void_p(address)))


@functools.cache
def _wrap():
    """PyTorch's function that returns the object for a generator, which is given as a counted pointer (`torch/csrc/Generator.h`)."""
    library = os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_python.so")
    try:
        function = ctypes.PyDLL(library)._Z17THPGenerator_WrapRKN2at9GeneratorE
    except (OSError, AttributeError):
        return None
    function.restype = ctypes.py_object
    return function


def _words(generator):
    return list((ctypes.c_uint64 * WORDS).from_address(generator._cdata))
