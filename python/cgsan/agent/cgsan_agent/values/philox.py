"""CUDA's random numbers: what the threads of a kernel draw from Philox, the generator of cuRAND and PyTorch.

The generator is a function of a counter: a thread's n-th draw encrypts its own number and n with the seed
(Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). cuRAND's documentation of the device API
says how a seed, a subsequence (the thread) and an offset make the counter; four numbers of 32 bits come of each.
"""

import torch

WORD = 0xFFFFFFFF
MULTIPLIERS = 0xD2511F53, 0xCD9E8D57
KEY_STEPS = 0x9E3779B9, 0xBB67AE85
ROUNDS = 10

# From a number of 32 bits to (0, 1], and of 53 bits for doubles: half a step is added.
STEP = 2.0**-32
DOUBLE_STEP = 2.0**-53


def draws(seed, offset, threads, times):
    """What the threads of a range draw, so many times each: numbers of 32 bits, `[times, threads, 4]`.

    The offset counts numbers, and is a multiple of four, as PyTorch keeps it.
    """
    shape = times, len(threads)
    time = torch.arange(offset // 4, offset // 4 + times).reshape(times, 1).expand(shape)
    thread = torch.arange(threads.start, threads.stop).expand(shape)
    c0, c1, c2, c3 = time & WORD, time >> 32, thread & WORD, thread >> 32
    keys = [seed & WORD, (seed >> 32) & WORD]
    for _ in range(ROUNDS):
        # Products wrap around at 64 bits, and all of those count.
        a, b = c0 * MULTIPLIERS[0], c2 * MULTIPLIERS[1]
        c0, c1, c2, c3 = (
            ((b >> 32) & WORD) ^ c1 ^ keys[0],
            b & WORD,
            ((a >> 32) & WORD) ^ c3 ^ keys[1],
            a & WORD,
        )
        keys = [(key + step) & WORD for key, step in zip(keys, KEY_STEPS, strict=True)]
    return torch.stack((c0, c1, c2, c3), -1)


def pairs(words):
    """Two numbers of 64 bits of each four, as signed ones: `[…, 2]`."""
    return words[..., 0::2] << 32 | words[..., 1::2]


def uniform(words):
    """`curand_uniform4`: floats in (0, 1]."""
    return words.to(torch.float32) * STEP + STEP / 2


def uniform_double(words):
    """`curand_uniform2_double`: doubles in (0, 1]."""
    return _bits_53(words).to(torch.float64) * DOUBLE_STEP + DOUBLE_STEP / 2


def normal(words):
    """`curand_normal4`: floats, by Box and Muller's transform of two each."""
    radius = torch.sqrt(-2 * torch.log(uniform(words[..., 0::2])))
    turn = torch.tensor(STEP * 6.2831855, dtype=torch.float32)
    angle = words[..., 1::2].to(torch.float32) * turn + turn / 2
    return torch.stack((radius * angle.sin(), radius * angle.cos()), -1).flatten(-2)


def normal_double(words):
    """`curand_normal2_double`: doubles, two of each four numbers."""
    bits = _bits_53(words).to(torch.float64)
    radius = torch.sqrt(-2 * torch.log(bits[..., 0] * DOUBLE_STEP + DOUBLE_STEP / 2))
    angle = (bits[..., 1] * (DOUBLE_STEP * 2) + DOUBLE_STEP) * torch.pi
    return torch.stack((radius * angle.sin(), radius * angle.cos()), -1)


def _bits_53(words):
    return words[..., 0::2] ^ (words[..., 1::2] << 21)
