"""Random numbers: as often and as repeatable as CUDA's, from another generator, so other numbers.

CUDA's generators are counters: a seed and an offset make the numbers, and each operator moves the
offset on. Here they make the seed of a generator of the CPU, which is the agent's own, so that the
program's draws on the CPU stay as they are.
"""

import torch

# Bits of a seed, and an odd factor that spreads offsets over them (SplitMix64).
MASK = (1 << 64) - 1
SPREAD = 0x9E3779B97F4A7C15


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


def state(generator):
    """A number for the generator's state, which no capture has any part in."""
    return (generator.initial_seed() ^ (generator.get_offset() * SPREAD)) & MASK


def drawing(seed, compute):
    """Calls `compute` with random numbers that follow from `seed`."""
    default = torch.random.default_generator
    before = default.get_state()
    default.manual_seed(seed)
    try:
        return compute()
    finally:
        default.set_state(before)
