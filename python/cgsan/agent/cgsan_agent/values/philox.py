"""CUDA's random numbers: what the threads of a kernel draw from Philox, and the distributions of cuRAND that are made of it."""

import functools

import torch

# From a number of 32 bits to (0, 1], and of 53 bits for doubles: half a step is added.
STEP = 2.0**-32
DOUBLE_STEP = 2.0**-53

# Of cuRAND's generator.
ROUNDS = 10


_recorder = None


def draw_from(recorder):
    """Has the library of the virtual GPU draw them."""
    global _recorder
    _recorder = recorder


def draws(seed, offset, threads, times):
    """What the threads of a range draw, so many times each: numbers of 32 bits, `[times, threads, 4]`.

    The offset counts numbers, of which the first that a draw makes are taken too.
    """
    return draws_from(seed, offset // 4, threads, times, ROUNDS)


def draws_from(seed, draw, threads, times, rounds):
    """The same from the draw of a number on, of a generator that goes so many rounds."""
    numbers = torch.empty((times, len(threads), 4), dtype=torch.int64)
    _recorder.random_numbers(numbers, seed, draw, threads, rounds)
    return numbers


def mark(marks, below, start, threads, at_once, products=()):
    """Marks elements in the order of memory whose numbers of 32 bits are below a bound.

    The numbers are those that so many threads draw from a seed and an offset on. A thread takes so many elements at once that
    follow each other; if that is one, the four numbers of a draw are for elements that lie a grid apart. `products` are a source of
    floats, where those go that are multiplied by zero or one, and the factor that they are multiplied by then.
    """
    seed, offset = start
    source, output, factor = products or (None, None, 1.0)
    _recorder.mark(
        marks=marks.data_ptr(),
        source=0 if source is None else source.data_ptr(),
        output=0 if output is None else output.data_ptr(),
        elements=marks.numel(),
        seed=seed,
        draw=offset // 4,
        threads=threads,
        at_once=at_once,
        bound=below,
        factor=factor,
    )


def factors(count, below, start, factor):
    """Of so many elements what each is multiplied by: zero where the number is below a bound, and else a factor. One thread draws all
    numbers, of which the first of a draw are left out up to the offset."""
    seed, offset = start
    found = torch.empty(count, dtype=torch.float32)
    _recorder.mark(
        output=found.data_ptr(),
        elements=count,
        seed=seed,
        draw=offset // 4,
        threads=1,
        at_once=4,
        skipped=offset % 4,
        bound=below,
        factor=factor,
        is_turned=1,
    )
    return found


def pairs(words):
    """Two numbers of 64 bits of each four, as signed ones: `[…, 2]`."""
    return words[..., 0::2] << 32 | words[..., 1::2]


def uniform(words):
    """`curand_uniform4`: floats in (0, 1]."""
    return words.to(torch.float32) * STEP + STEP / 2


@functools.lru_cache(maxsize=256)
def words_below(number, is_included=False):
    """How many numbers of 32 bits `uniform` makes a float of that is less than a number, or no more if it `is_included`: these are the
    least of them, so that no floats need be made to compare."""
    limit = torch.tensor(number, dtype=torch.float32)
    first, last = 0, 1 << 32
    while first < last:
        middle = (first + last) // 2
        made = uniform(torch.tensor(middle))
        if made < limit or (is_included and made == limit):
            first = middle + 1
        else:
            last = middle
    return first


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
