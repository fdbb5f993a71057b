"""Callables of `make_graphed_callables`: some of their calls are compared with eager runs of what they were made of."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import torch
from torch.utils._pytree import tree_leaves, tree_map

from .observed import Observed, differences, observe
from .operators.alignment import align
from .operators.cause import Cause, Records
from .operators.entry import Entry
from .operators.recorder import Recorder
from .state.reach import name_of, reach
from .state.snapshot import Snapshot
from .state.values import names_by_storage
from .tolerance import Tolerance, largest_difference
from .verification import NOT_COMPUTED, not_computed

if TYPE_CHECKING:
    from .agent import Frame


@dataclasses.dataclass
class Compared:
    """What a call is compared by: the callable, its inputs, and the state before it."""

    function: Callable[..., object]
    arguments: tuple[object, ...]
    base: Snapshot
    tolerance: Tolerance


class Original:
    """What is to be graphed. While it is captured, its operators are recorded."""

    def __init__(self, function: Callable[..., object], records: bool) -> None:
        self._records = records
        self._function = function
        self.name = name_of(function)
        self.module = function if isinstance(function, torch.nn.Module) else None
        self.forward = function if self.module is None else self.module.forward
        self.was_training = self.module is not None and self.module.training
        self.captured: list[Entry] = []
        # The paths of tensors by storage, before the capture.
        self.names: dict[int, str] = {}

    def __call__(self, *arguments: object, **keywords: object) -> object:
        if not (self._records and torch.cuda.is_current_stream_capturing()):
            return self.forward(*arguments, **keywords)
        self.names = names_by_storage(reach(self._function, arguments).tensors)
        recorder = Recorder(keeps=False)
        with recorder:
            result = self.forward(*arguments, **keywords)
        self.captured = recorder.entries
        return result

    def parameters(self) -> dict[str, torch.Tensor]:
        """What gradients are compared of, beside inputs."""
        named = self.module.named_parameters() if self.module is not None else ()
        return {name: it for name, it in named if it.requires_grad}


class Graphed:
    """A graphed callable in its place. `unrecorded` is what a verification runs in; `stack` is where it was graphed."""

    def __init__(
        self,
        original: Original,
        graphed: Callable[..., object],
        is_sample: Callable[[int], bool],
        unrecorded: Callable[[], AbstractContextManager[None]],
        stack: list[Frame],
    ) -> None:
        self.original = original
        self.stack = stack
        self.calls = 0
        self.compared = 0
        self.message: str | None = None
        self.differs = False
        self._graphed = graphed
        self._is_sample = is_sample
        self._unrecorded = unrecorded

    def __call__(self, *arguments: object, **keywords: object) -> object:
        if self._is_replayed() and not keywords and self.message is None:
            self.calls += 1
            if self._is_sample(self.calls):
                self._compare(arguments)
        return self._graphed(*arguments, **keywords)

    def _is_replayed(self) -> bool:
        module = self.original.module
        by_graph = module is None or module.training == self.original.was_training
        return by_graph and not torch.cuda.is_current_stream_capturing()

    def _compare(self, arguments: tuple[object, ...]) -> None:
        with self._unrecorded():
            call = Compared(
                self.original.forward,
                arguments,
                Snapshot(self.original.forward, arguments),
                Tolerance(),
            )
            try:
                self._compare_call(call)
                self.compared += 1
            except Exception as error:
                # The program's own call says what is wrong with it.
                self.message = f"a call of `{self.original.name}` cannot be compared: {error}"
            finally:
                call.base.restore()

    def _compare_call(self, call: Compared) -> None:
        before, _ = not_computed()
        expected = self._run(call, self.original.forward)
        again = self._run(call, self.original.forward)
        name = self.original.name
        if differences(call, expected, again, {}):
            self.message = f"two eager runs of `{name}` from the same state do not agree, so its replays are not judged"
            return
        common = expected.values.keys() & again.values.keys()
        noise = {it: largest_difference(expected.values[it], again.values[it]) for it in common}
        found = differences(call, expected, self._run(call, self._graphed), noise)
        times, what = not_computed()
        if times != before:
            self.message = f"a call of `{name}` cannot be compared: {NOT_COMPUTED.format(what)}"
            return
        if found:
            self.differs = True
            self.message = f"call {self.calls} of the graphed `{name}` leaves something else than an eager run: {found[0]}"
            cause = self._cause(call)
            if cause is not None:
                self.message += f"; `{cause.operator.name}`: {cause.text} ({cause.id})"

    def _run(self, call: Compared, function: Callable[..., object]) -> Observed:
        """What a call leaves, with gradients if there are to be some."""
        call.base.restore()
        inputs = tree_map(_leaf, call.arguments)
        result = function(*inputs)
        observed = observe(call, result)
        if torch.is_grad_enabled():
            observed.values.update(self._gradients(inputs, result))
        return observed

    def _gradients(self, inputs: object, result: object) -> dict[str, torch.Tensor]:
        outputs = [
            it for it in tree_leaves(result) if isinstance(it, torch.Tensor) and it.requires_grad
        ]
        leaves = {
            f"inputs[{number}]": it
            for number, it in enumerate(tree_leaves(inputs))
            if isinstance(it, torch.Tensor) and it.requires_grad
        }
        leaves |= self.original.parameters()
        if not outputs or not leaves:
            return {}
        gradients = torch.autograd.grad(
            outputs, list(leaves.values()), [_weights(it) for it in outputs], allow_unused=True
        )
        return {
            f"gradient of {name}": torch.zeros_like(leaf) if it is None else it.clone()
            for (name, leaf), it in zip(leaves.items(), gradients, strict=True)
        }

    def _cause(self, call: Compared) -> Cause | None:
        """What the records of the capture and of an eager run now show, where there are some."""
        if not self.original.captured:
            return None
        call.base.restore()
        names = names_by_storage(call.base.reached.tensors)
        inputs = tree_map(_leaf, call.arguments)
        recorder = Recorder(keeps=False)
        with recorder:
            self.original.forward(*inputs)
        pairs = align(recorder.entries, self.original.captured)
        records = Records(
            max(self.calls, 2),
            recorder.entries,
            self.original.captured,
            pairs,
            names,
            self.original.names,
        )
        return records.of_pairs(pairs) or records.unmatched() or records.left_out()


def _leaf(value: object) -> object:
    """An input of its own, for a gradient of its own."""
    if not isinstance(value, torch.Tensor):
        return value
    return value.detach().clone().requires_grad_(value.requires_grad)


def _weights(output: torch.Tensor) -> torch.Tensor:
    """Gradients of results that are not all the same, so that a sum of zero does not hide what differs."""
    steps = torch.arange(output.numel(), device=output.device) % 7 + 1
    return (steps / 4).to(output.dtype).reshape(output.shape)
