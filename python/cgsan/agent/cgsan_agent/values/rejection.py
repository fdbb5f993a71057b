"""Distributions on CUDA whose threads draw one number after another, until one is accepted: poisson, gamma, binomial.

The algorithms are those of PyTorch 2.11's header `ATen/native/Distributions.h` (gamma by Marsaglia and Tsang, binomial by Hörmann's
BTRS and by inversion) and of cuRAND's documentation (poisson by Knuth, below a rate of 64).
"""

import math

import torch

from . import philox
from .draws import Draw
from .random_numbers import drawing

# Rates from which on cuRAND draws poisson numbers by another way, which its documentation does not tell.
KNUTH = 64
# Draws that are made at once for each thread.
AHEAD = 8
# Elements that are computed at once.
AT_ONCE = 1 << 16
# A kernel of two parameters has blocks whose threads each draw for some elements, which lie a block apart.
BLOCK, OF_EACH = 128, 8


class Threads:
    """Threads that each draw numbers in a row, as a mask says: what a generator of cuRAND keeps, as tensors."""

    def __init__(self, seed, offset, threads):
        self._seed, self._offset, self._threads = seed, offset, threads
        count = len(threads)
        self._words = torch.empty(count, 0, dtype=torch.int64)
        self._at = torch.zeros(count, dtype=torch.int64)
        # The second of a pair of normal numbers, and who has one.
        self._extra, self._has_extra = torch.zeros(count), torch.zeros(count, dtype=torch.bool)

    def uniform(self, who):
        """Floats in (0, 1] of the threads that these indices say."""
        return philox.uniform(self._next(who))

    def low_uniform(self, who):
        """Floats in [0, 1), of the lower bits of a number that fit."""
        return (self._next(who) & 0xFFFFFF).float() / (1 << 24)

    def normal(self, who):
        """Floats, of which a thread draws two at a time."""
        kept = self._has_extra[who]
        found = self._extra[who].clone()
        drawing = who[~kept]
        pair = philox.normal(torch.stack((self._next(drawing), self._next(drawing)), -1))
        found[~kept] = pair[:, 0]
        self._extra[drawing] = pair[:, 1]
        self._has_extra[who] = ~kept
        return found

    def _next(self, who):
        at = self._at[who]
        while at.numel() and int(at.max()) >= self._words.shape[1]:
            offset = self._offset + self._words.shape[1]
            words = philox.draws(self._seed, offset, self._threads, AHEAD)
            more = words.transpose(0, 1).flatten(1)
            self._words = torch.cat((self._words, more), 1)
        self._at[who] += 1
        return self._words[who, at]


def standard_gamma(threads, who, alpha):
    """Of each of the threads one number, by its shape."""
    alpha = alpha.clone()
    scale = torch.ones_like(alpha)
    small = (alpha < 1) & (alpha != 0)
    scale[small] = (1 - threads.uniform(who[small])) ** (1 / alpha[small])
    is_zero = alpha == 0
    alpha[small] += 1
    d = alpha - 1 / 3
    c = 1 / torch.sqrt(9 * d)
    found = torch.zeros_like(alpha)
    left = (~is_zero).nonzero().flatten()
    while left.numel():
        x, y = torch.empty(left.numel()), torch.zeros(left.numel())
        again = torch.arange(left.numel())
        while again.numel():
            x[again] = threads.normal(who[left[again]])
            y[again] = 1 + c[left[again]] * x[again]
            again = again[y[again] <= 0]
        v = y * y * y
        u = 1 - threads.uniform(who[left])
        xx = x * x
        is_good = (u < 1 - 0.0331 * xx * xx) | (
            torch.log(u) < 0.5 * xx + d[left] * (1 - v + torch.log(v))
        )
        done = left[is_good]
        found[done] = scale[done] * d[done] * v[is_good]
        left = left[~is_good]
    return found


def poisson(threads, who, rate):
    """By Knuth."""
    product, found = torch.exp(rate), torch.zeros_like(rate)
    left = torch.arange(len(rate))
    while left.numel():
        product[left] *= threads.uniform(who[left])
        left = left[product[left] > 1]
        found[left] += 1
    return found


def binomial(threads, who, count, probability):
    """Of the rarer of the two outcomes, counted in the way that its number asks for."""
    turned = probability > 0.5
    rarer = torch.where(turned, 1 - probability, probability)
    found = torch.zeros_like(count)
    is_drawn = (count > 0) & (probability > 0) & (probability < 1)
    for ways, draw in (
        (count * rarer >= 10, _by_rejection),
        (count * rarer < 10, _by_inversion),
    ):
        chosen = (is_drawn & ways).nonzero().flatten()
        found[chosen] = draw(threads, who[chosen], count[chosen], rarer[chosen])
    found = torch.where(is_drawn & turned, count - found, found)
    return torch.where((probability >= 1) & (count > 0), count, found)


def _by_inversion(threads, who, count, probability):
    """How many geometric numbers add up to no more."""
    sums, found = torch.zeros_like(count), torch.zeros_like(count)
    logarithm = torch.log1p(-probability)
    left = torch.arange(len(count))
    while left.numel():
        sums[left] += torch.ceil(torch.log(threads.low_uniform(who[left])) / logarithm[left])
        left = left[sums[left] <= count[left]]
        found[left] += 1
    return found


def _by_rejection(threads, who, count, probability):
    """BTRS."""
    deviation = torch.sqrt(count * probability * (1 - probability))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * probability
    c = count * probability + 0.5
    sure = 0.92 - 4.2 / b
    odds = probability / (1 - probability)
    alpha = (2.83 + 5.1 / b) * deviation
    mode = torch.floor((count + 1) * probability)
    found = torch.zeros_like(count)
    left = torch.arange(len(count))
    while left.numel():
        n, m, r = count[left], mode[left], odds[left]
        u = threads.low_uniform(who[left]) - 0.5
        v = threads.low_uniform(who[left])
        us = 0.5 - u.abs()
        k = torch.floor((2 * a[left] / us + b[left]) * u + c[left])
        is_possible = (k >= 0) & (k <= n)
        is_sure = (us >= 0.07) & (v <= sure[left])
        bound = (
            (m + 0.5) * torch.log((m + 1) / (r * (n - m + 1)))
            + (n + 1) * torch.log((n - m + 1) / (n - k + 1))
            + (k + 0.5) * torch.log(r * (n - k + 1) / (k + 1))
            + _stirling(m)
            + _stirling(n - m)
            - _stirling(k)
            - _stirling(n - k)
        )
        logarithm = torch.log(v * alpha[left] / (a[left] / (us * us) + b[left]))
        is_good = is_possible & (is_sure | (logarithm <= bound))
        found[left[is_good]] = k[is_good]
        left = left[~is_good]
    return found


def _stirling(k):
    """How far Stirling's approximation of the logarithm of a factorial is off."""
    after = k.double() + 1
    approximation = (after - 0.5) * torch.log(after) - after + 0.5 * math.log(2 * math.pi)
    return (torch.lgamma(after) - approximation).to(k.dtype)


def _one_each(seed, offset, function, parameter):
    """What a function draws for each element by a thread of its own."""
    found = []
    for first, part in enumerate(parameter.float().reshape(-1).split(AT_ONCE)):
        threads = Threads(seed, offset, range(first * AT_ONCE, first * AT_ONCE + len(part)))
        found.append(function(threads, torch.arange(len(part)), part))
    return torch.cat(found)


def _some_each(seed, offset, function, *parameters):
    """The same, where a thread draws for some elements one after the other."""
    flat = [it.float().reshape(-1) for it in torch.broadcast_tensors(*parameters)]
    count = len(flat[0])
    found = torch.empty(count)
    blocks = -(-count // (BLOCK * OF_EACH))
    threads = Threads(seed, offset, range(blocks * BLOCK))
    first = torch.arange(blocks).unsqueeze(1) * BLOCK * OF_EACH + torch.arange(BLOCK)
    for turn in range(OF_EACH):
        elements = first.flatten() + turn * BLOCK
        who = (elements < count).nonzero().flatten()
        elements = elements[who]
        found[elements] = function(threads, who, *(it[elements] for it in flat))
    return found


def poisson_draw(target, given, _places):
    rate = given["self"]

    def compute(seed, offset):
        if not (rate >= 0).all():
            raise RuntimeError("a rate is below 0")
        found = _one_each(seed, offset, poisson, rate.clamp(max=KNUTH - 1)).reshape(rate.shape)
        others = drawing(seed, offset, lambda: torch.poisson(rate.float()))
        target.copy_(torch.where(rate < KNUTH, found, others))

    return Draw(20, compute)


def binomial_draw(target, given, _places):
    count, probability = given["count"], given["prob"]

    def compute(seed, offset):
        found = _some_each(seed, offset, binomial, count, probability)
        target.copy_(found.reshape(target.shape))

    return Draw(44, compute if target.dtype != torch.float64 else None)


def gamma_draw(target, given, _places):
    shape = given["self"]

    def compute(seed, offset):
        target.copy_(_one_each(seed, offset, standard_gamma, shape).reshape(target.shape))

    return Draw(12, compute if target.dtype != torch.float64 else None)


def dirichlet_draw(target, given, _places):
    shape = given["self"]

    def compute(seed, offset):
        found = _one_each(seed, offset, standard_gamma, shape).reshape(target.shape)
        least = torch.finfo(found.dtype).tiny
        target.copy_((found / found.sum(-1, keepdim=True)).clamp(least, 1 - 2**-24))

    return Draw(12, compute if target.dtype != torch.float64 else None)


DRAWS = {
    "aten::poisson": poisson_draw,
    "aten::binomial": binomial_draw,
    "aten::_standard_gamma": gamma_draw,
    "aten::_sample_dirichlet": dirichlet_draw,
}
