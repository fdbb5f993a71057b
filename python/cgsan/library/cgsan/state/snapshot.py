"""The state that a region reads and changes, as it was at one moment."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

from .random_numbers import RandomState
from .reach import reach
from .values import SavedStorages


class Snapshot:
    """What a function reached, with the bytes of its tensors and the state of random generators."""

    def __init__(self, function: Callable[..., object], inputs: Iterable[object]) -> None:
        self.reached = reach(function, inputs)
        self._contents = [(holder, holder.content()) for holder in self.reached.holders]
        self.storages = SavedStorages(self.reached.tensors.values())
        self._random = RandomState(self.reached.generators)

    def restore(self) -> None:
        """Puts back what names and attributes refer to, and their values."""
        for holder, content in self._contents:
            if _differs(holder.content(), content):
                holder.put_back(content)
        self.restore_values()

    def restore_values(self) -> None:
        """Puts back the values of tensors and the state of random generators, and leaves names as they are."""
        torch.cuda.synchronize()  # What writes them may run on any stream.
        self.storages.put_back()
        self._random.put_back()


def _differs(now: dict[Any, object], then: dict[Any, object]) -> bool:
    return now.keys() != then.keys() or any(now[key] is not it for key, it in then.items())
