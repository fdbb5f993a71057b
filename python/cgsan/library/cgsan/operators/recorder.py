"""Records the operators of one run of a region, in order."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from ..place import innermost
from ..state.values import is_readable, storage_of
from ..tolerance import Number
from . import entry

# Results of more elements are compared in samples, evenly spread.
WHOLE = 1 << 14
# What gives memory and computes nothing.
EMPTY = ("empty", "new_empty", "resize")
NUMBERS = (bool, int, float, complex)


class Recorder(TorchDispatchMode):
    """Notes each operator, and keeps its results if `keeps` says so."""

    def __init__(self, keeps: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # PyTorch's has no types.
        self.entries: list[entry.Entry] = []
        self._keeps = keeps
        self._thread = threading.get_ident()
        # By storage, the last operator that wrote it.
        self._producers: dict[int, int] = {}

    def __torch_dispatch__(
        self,
        function: Callable[..., object],
        types: object,
        arguments: tuple[Any, ...] = (),
        keywords: dict[str, Any] | None = None,
    ) -> object:
        keywords = keywords or {}
        if not isinstance(function, OpOverload):
            return function(*arguments, **keywords)
        given = tree_leaves((arguments, keywords))
        operands = [entry.operand(it, self._producers) for it in _tensors(given)]
        results = function(*arguments, **keywords)
        made = _tensors(tree_leaves(results))
        written = _written(function, arguments, keywords)
        noted = entry.Entry(
            name=str(function),
            place=innermost(self._thread),
            operands=operands,
            numbers=_numbers(given),
            where=entry.where([*_tensors(given), *made]),
            is_view=_is_view(function),
            is_random=torch.Tag.nondeterministic_seeded in function.tags,
            form=tuple(map(entry.form, made)),
        )
        changed = [] if noted.is_view else [*made, *written]
        for tensor in changed:
            if is_readable(tensor):
                self._producers[storage_of(tensor)] = len(self.entries)
        self.entries.append(noted)
        if self._keeps and not function._schema.name.partition("::")[2].startswith(EMPTY):
            noted.values = [sample(it) for it in changed if _is_result(it, function, changed)]
        return results


def sample(tensor: torch.Tensor) -> torch.Tensor:
    """A copy of a result, or of elements that are spread over it."""
    with torch.no_grad():
        flat = tensor.detach().reshape(-1)
        if flat.numel() > WHOLE:
            flat = flat[:: -(-flat.numel() // WHOLE)]
            return flat.clone()
        return tensor.detach().clone()


def _tensors(values: Iterable[object]) -> list[torch.Tensor]:
    return [it for it in values if isinstance(it, torch.Tensor)]


def _numbers(given: Iterable[object]) -> list[Number]:
    """The numbers among the arguments, those in tensors of one element on the host included: they are given by value."""
    found: list[Number] = []
    for value in given:
        if isinstance(value, NUMBERS):
            found.append(value)
        elif isinstance(value, torch.Tensor) and _is_number(value):
            found.append(value.item())
    return found


def _is_number(tensor: torch.Tensor) -> bool:
    return tensor.dim() == 0 and tensor.device.type == "cpu" and is_readable(tensor)


def _written(
    function: OpOverload, arguments: Sequence[object], keywords: Mapping[str, object]
) -> list[torch.Tensor]:
    """The tensors among the arguments that an operator writes."""
    found: list[torch.Tensor] = []
    for number, about in enumerate(function._schema.arguments):
        if about.alias_info is not None and about.alias_info.is_write:
            value = arguments[number] if number < len(arguments) else keywords.get(about.name)
            found.extend(_tensors(tree_leaves(value)))
    return found


def _is_view(function: OpOverload) -> bool:
    """Whether it only gives other forms of what it is given."""
    schema = function._schema
    return bool(schema.returns) and all(
        it.alias_info is not None and not it.alias_info.is_write for it in schema.returns
    )


def _is_result(tensor: torch.Tensor, function: OpOverload, made: Sequence[torch.Tensor]) -> bool:
    """Whether equal inputs give it equal values: seeds and what a library reserves for itself need not be."""
    if not is_readable(tensor) or not tensor.numel():
        return False
    if torch.Tag.nondeterministic_seeded in function.tags or "attention" in str(function):
        return tensor.is_floating_point() or len(made) == 1
    return len(made) == 1 or tensor.dtype is not torch.uint8
