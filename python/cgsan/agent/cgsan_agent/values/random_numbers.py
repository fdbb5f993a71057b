"""Random numbers of CUDA's generators, which are counters: a seed and an offset make the numbers, and each operator moves the
offset on.

What an operator draws is that of a GPU where `distributions.py` knows it. Other operators draw from a generator of the CPU
that the seed and the offset make, as often and as repeatable as CUDA's.
"""

import torch

# Bits of a seed, and an odd factor that spreads offsets over them (SplitMix64).
MASK = (1 << 64) - 1
SPREAD = 0x9E3779B97F4A7C15

# What a captured operator of unknown distribution is taken to draw, so that the next one draws other numbers.
UNKNOWN = 4

# By capture and generator, what the operators captured so far draw.
_captured = {}


def draws(function):
    """Whether an operator draws random numbers."""
    return torch.Tag.nondeterministic_seeded in function.tags


def generator_of(arguments, tensors):
    """The generator of CUDA that an operator draws from."""
    for value in arguments:
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return value
    device = next((it.device.index for it in tensors), torch.cuda.current_device())
    return torch.cuda.default_generators[device or 0]


class _Captured:
    """What the operators of one capture draw from one generator, at each replay."""

    def __init__(self):
        self.total = 0
        self.is_known = True


class Source:
    """The state of a generator that an operator draws from: that of its call, or of each replay."""

    def __init__(self, generator, is_captured):
        self._generator = generator
        self._seed = self._offset = self._captured = None
        if not is_captured:
            self._seed, self._offset = generator.initial_seed(), generator.get_offset()

    def belongs_to(self, capture, draw):
        """The operator was captured, and draws behind those that were captured before it."""
        self._captured = _captured.setdefault((capture, self._generator), _Captured())
        self._offset = self._captured.total
        self._captured.total += UNKNOWN if draw is None else draw.increment
        self._captured.is_known &= draw is not None

    def compute(self, draw, otherwise):
        """Computes an operator: what it draws, if that is known, or else what a function computes on the CPU."""
        seed, offset = self._seed, self._offset
        if self._captured is not None:
            seed, offset = self._generator.initial_seed(), self._offset + self._begin_of_replay()
        if draw is not None and draw.compute is not None:
            return draw.compute(seed & MASK, offset)
        return _drawing((seed ^ (offset * SPREAD)) & MASK, otherwise)

    def _begin_of_replay(self):
        # A replay moves the offset on by what the whole graph draws, before the graph runs.
        now = self._generator.get_offset()
        return now - self._captured.total if self._captured.is_known else now


def _drawing(seed, compute):
    default = torch.random.default_generator
    before = default.get_state()
    default.manual_seed(seed)
    try:
        return compute()
    finally:
        default.set_state(before)
