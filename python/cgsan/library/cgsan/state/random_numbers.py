"""The state of every generator of random numbers that a region may draw from."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable

import torch


class RandomState:
    """The states of PyTorch's generators, of those that the region reaches, of Python's and of NumPy's."""

    def __init__(self, generators: Iterable[torch.Generator]) -> None:
        self._generators = [
            torch.default_generator,
            *torch.cuda.default_generators,
            *generators,
        ]
        self._states = [it.get_state() for it in self._generators]
        self._python = random.getstate()
        self._numpy = sys.modules.get("numpy.random")
        self._of_numpy = self._numpy and self._numpy.get_state()

    def put_back(self) -> None:
        for generator, state in zip(self._generators, self._states, strict=True):
            generator.set_state(state)
        random.setstate(self._python)
        if self._numpy:
            self._numpy.set_state(self._of_numpy)
