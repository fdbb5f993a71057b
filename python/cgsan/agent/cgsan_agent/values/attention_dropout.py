"""Which weights attention drops out: numbers that a kernel draws for the place of each weight, however it goes through them, so that
the backward pass draws the same."""

import collections
import math

import torch

from . import philox

MASK = (1 << 64) - 1

# Flash attention draws for tiles of 16 queries and 32 keys, by the 32 threads of a warp: 16 bytes each.
ROWS, COLUMNS, WARP = 16, 32, 32
FLASH_ROUNDS = 7

# Bytes in which the newest forward passes keep the factors of weights for their backward passes, and how many of them do.
KEPT, MOST = 64 << 20, 64

# By what they are drawn from, the oldest first.
_newest = collections.OrderedDict()


def again(draw, state, shape, probability):
    """The factors that the forward pass had, from the seed and the offset that it left."""
    if not probability:
        return None
    seed, offset = (it & MASK for it in state.tolist())
    drawn = _newest.pop((draw, seed, offset, tuple(shape), probability), None)
    return draw(seed, offset, shape, probability) if drawn is None else drawn


def factors(draw, seed, offset, shape, probability):
    """What each weight is multiplied by: zero, or what makes up for those that are dropped. `draw` is one of the functions below, the
    shape that of batch, heads, queries and keys."""
    drawn = draw(seed, offset, shape, probability)
    _newest[draw, seed, offset, tuple(shape), probability] = drawn
    while len(_newest) > MOST or sum(it.nbytes for it in list(_newest.values())) > KEPT:
        _newest.popitem(last=False)
    return drawn


def by_tile(seed, offset, shape, probability):
    """Flash attention's: of each tile, a thread has eight numbers in two halves of the columns, laid out as an instruction of tensor
    cores leaves its results."""
    heads = shape[0] * shape[1]
    rows, columns = (-(-count // of) for count, of in zip(shape[2:], (ROWS, COLUMNS), strict=True))
    kept = torch.empty(heads, rows * ROWS, columns * COLUMNS, dtype=torch.bool)
    most = int((1 - probability) * 255)
    for column in range(columns):
        tiles = range(column << 32, (column << 32) + rows)
        words = philox.draws_from(seed, offset, tiles, heads * WARP, FLASH_ROUNDS)
        # By head, thread and tile, four words of four bytes, which are the lower of eight.
        numbers = words.view(torch.uint8).reshape(heads, 8, 4, rows, 4, 8)[..., :4]
        numbers = numbers.reshape(heads, 8, 4, rows, 2, 2, 2, 2)
        # Of a thread: halves of the columns, quarters of them, halves of the rows, columns that are neighbours.
        placed = numbers.permute(0, 3, 6, 1, 4, 5, 2, 7).reshape(heads, -1, COLUMNS)
        kept[..., column * COLUMNS : (column + 1) * COLUMNS] = placed <= most
    return kept[:, : shape[2], : shape[3]].reshape(shape) * (1 / (1 - probability))


def by_element(seed, offset, shape, probability):
    """Memory-efficient attention's: all weights in a row have each a number of one thread's."""
    below = philox.words_below(probability, is_included=True)
    factor = 1 / (1 - probability)
    return philox.factors(math.prod(shape), below, (seed, offset), factor).reshape(shape)
