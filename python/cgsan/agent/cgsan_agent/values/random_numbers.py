"""Random numbers of CUDA's generators, which are counters: a seed and an offset make the numbers, and each operator moves the
offset on.

What an operator draws is that of a GPU where `distributions.py` knows it. Other operators draw from a generator of the CPU
that the seed and the offset make, as often and as repeatable as CUDA's.
"""

import collections
import itertools

import torch

from . import generators
from .draws import NOTHING
from .generators import State

# Bits of a seed, and an odd factor that spreads offsets over them (SplitMix64).
MASK = (1 << 64) - 1
SPREAD = 0x9E3779B97F4A7C15

# What a captured operator of unknown distribution is taken to draw, so that the next one draws other numbers.
UNKNOWN = 4

# Operators that are said to draw and do not: the numbers that the forward pass drew are given to them, or cuDNN has a state of its own
# (`recurrent.py`).
OF_OTHERS = frozenset(
    (
        "aten::_cudnn_attention_backward",
        "aten::_cudnn_rnn",
        "aten::_efficient_attention_backward",
    )
)

# Moments, one after another.
_times = itertools.count()

# By capture and state of a generator, what the operators captured so far draw; and those that were added since a capture ended last.
_captured = {}
_open = []


def draws(function):
    """Whether an operator draws random numbers."""
    is_said = torch.Tag.nondeterministic_seeded in function.tags
    return is_said and function._schema.name not in OF_OTHERS


def capture_ends():
    """A capture of this thread is about to end: what its program has set a generator to last is where a replay leaves it."""
    ends, _open[:] = list(_open), []
    if len({capture for capture, _ in ends}) == 1:
        for _, captured in ends:
            offset = generators.captured_offset(captured.generator)
            captured.total = captured.total if offset is None else offset


class _Captured:
    """What the operators of one capture draw from one state, at each replay."""

    def __init__(self, state):
        self.generator = state.generator
        self.total = 0
        self.is_known = True
        self.sources = []

    def leave_out_since(self, time):
        """An operator that began then is computed as a whole, with those that it called."""
        while self.sources and self.sources[-1].was_found_since(time):
            self.total -= self.sources.pop().increment

    def begins(self):
        """The seed, and the offset that a replay begins at which was just launched."""
        # A launch moves the offset on by what the whole graph draws, before the graph runs.
        now = self.generator.get_offset()
        return self.generator.initial_seed(), now - self.total if self.is_known else now

    def launched(self):
        """A replay was launched."""
        begin = self.begins()
        for source in self.sources:
            source.begins.append(begin)


class Source:
    """The state of a generator that an operator draws from: that of its call, or of each replay."""

    def __init__(self, generator, is_captured):
        self._generator = generator
        # When it began, and when it was found to draw in a capture; and how much.
        self._began, self._stamp, self.increment = next(_times), None, 0
        self._seed = self._offset = self._captured = None
        self.is_captured = is_captured
        # Of replays that were launched and have not drawn.
        self.begins = collections.deque()
        if is_captured:
            # Of the numbers of a replay, where the program has moved the generator by itself.
            self._offset = generators.captured_offset(generator)
        else:
            self._seed, self._offset = generator.initial_seed(), generator.get_offset()

    def was_found_since(self, time):
        """Whether it was found to draw in a capture later."""
        return self._stamp is not None and self._stamp > time

    def belongs_to(self, capture, draw, recorder):
        """The operator was captured, and draws behind those that were captured before it."""
        state = State(self._generator)
        key = capture, state.key
        if key not in _captured:
            _captured[key] = _Captured(state)
            _open.append((capture, _captured[key]))
            recorder.values_at_launches(capture, _captured[key].launched)
        self._captured = _captured[key]
        self._captured.leave_out_since(self._began)
        self._captured.sources.append(self)
        self._stamp, self.increment = next(_times), UNKNOWN if draw is None else draw.increment
        if self._offset is None:
            self._offset = self._captured.total
            self._captured.total += self.increment
            self._captured.is_known &= draw is not None
        else:
            self._captured.total = generators.captured_offset(self._captured.generator)

    def compute(self, draw, otherwise):
        """Computes an operator: what it draws, if that is known, or else what a function computes on the CPU."""
        seed, offset = self._seed, self._offset
        if self._captured is not None:
            seed, begin = self.begins.popleft() if self.begins else self._captured.begins()
            offset = self._offset + begin
        if draw is NOTHING:
            return otherwise()
        if draw is not None and draw.compute is not None:
            return draw.compute(seed & MASK, offset)
        return drawing(seed, offset, otherwise)


def drawing(seed, offset, compute):
    """What a function computes with the numbers of the CPU's generator that a seed and an offset make."""
    default = torch.random.default_generator
    before = default.get_state()
    default.manual_seed((seed ^ (offset * SPREAD)) & MASK)
    try:
        return compute()
    finally:
        default.set_state(before)
