"""`cgsan.verify`: a region by replays computes what it computes eagerly, from the same state and with the same inputs."""

from __future__ import annotations

import contextlib
import importlib
import itertools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, overload

import torch

from .agent import NAME, running
from .inputs import Inputs
from .observed import Difference, Observed, differences, observe
from .operators.first import first_difference
from .outcome import DIFFERS, SAME, UNDECIDED, Outcome, Unusable
from .region import Captured, Region
from .state.reach import Plain, Reached, name_of, reach
from .state.snapshot import Snapshot
from .tolerance import Tolerance, largest_difference

if TYPE_CHECKING:
    from typing_extensions import TypeVarTuple, Unpack

    from .captured import GraphOutcome

    Given = TypeVarTuple("Given")

DISAGREE = (
    "two eager runs from the same state do not agree; it depends on state that is not reached, or its operators are not "
    "deterministic within the tolerances"
)
NO_WORK = (
    "`{}` does no work on the GPU: its graph is empty, and there is nothing to verify; give the function that computes, with "
    "tensors on the GPU"
)
NOT_COMPUTED = "the virtual GPU does not compute {}, so results may be alike or differ for that reason; try it on a real GPU"
OTHER_NUMBERS = "an operator draws random numbers, and a replay draws others than an eager call"


@overload
def verify(function: torch.cuda.CUDAGraph, *, check: bool = True) -> GraphOutcome: ...


@overload
def verify(
    function: Callable[[Unpack[Given]], object],
    *inputs: Unpack[Given],
    replays: int = 3,
    warmup: int = 3,
    also: Iterable[Iterable[object]] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    check: bool = True,
) -> Outcome: ...


def verify(
    function: Callable[..., object] | torch.cuda.CUDAGraph,
    *inputs: object,
    replays: int = 3,
    warmup: int = 3,
    also: Iterable[Iterable[object]] | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    check: bool = True,
) -> Outcome | GraphOutcome:
    """Runs `function(*inputs)` eagerly and as a CUDA graph, call by call from the same state, and compares.

    Compared are the tensors that it returns and those that it reaches: parameters, buffers, gradients, the state of
    optimizers, closures and globals. Before each call other values are written into the inputs, but for those that the
    function writes itself: those of `also`, a list of further inputs in turn, or rows of floating-point inputs in another
    order; `also=()` leaves them as they are. All state that is reached is put back in the end.

    Without `rtol` and `atol`, values may differ as their type does in `torch.testing`, and by what two eager runs differ by.

    Raises `Mismatch`, an AssertionError, that names the first operator that differs; with `check=False` the outcome is
    returned instead. Raises `Undecided` if eager runs from the same state do not agree among themselves, or draw other random
    numbers than replays do, ValueError if the function does no work on the GPU. What a failing capture raises is raised.

    In place of a function, it may be given a `torch.cuda.CUDAGraph` that the program has captured, under `cgsan run`. The work of
    its next replay is then compared with what the captured code would do now, and nothing is run on the GPU. Raises `Mismatch`
    where they differ, `Undecided` where they cannot be compared.
    """
    if isinstance(function, torch.cuda.CUDAGraph):
        from .captured import verify_graph

        return verify_graph(function, inputs, check)
    _usable(replays, warmup)
    tolerance = Tolerance(rtol, atol)
    with unrecorded():
        before = Snapshot(function, inputs)
        try:
            region = Region(function, inputs, Inputs(inputs, also, replays), tolerance)
            region.warm_up(before, warmup)
            outcome = _compare_what_is_computed(region)
        finally:
            torch.cuda.synchronize()
            before.restore()
    return outcome.checked() if check else outcome


def _usable(replays: int, warmup: int) -> None:
    if replays < 1 or warmup < 1:
        raise ValueError("`replays` and `warmup` are at least 1")
    if not torch.cuda.is_available():
        raise Unusable("there is no GPU: start the program with `cgsan run`")
    agent = running()
    if agent is not None and not agent.computes():
        raise Unusable(
            "the virtual GPU does not compute: start the program with `cgsan run` and without `--no-values`"
        )
    if torch.cuda.is_current_stream_capturing():
        raise Unusable("a capture is running, and this captures a graph of its own")


def unrecorded() -> contextlib.AbstractContextManager[None]:
    """Under `cgsan run`, what is verified is not judged a second time."""
    if running() is None:
        return contextlib.nullcontext()
    module = importlib.import_module(f"{NAME}.unrecorded")
    context: contextlib.AbstractContextManager[None] = module.operators_and_captures()
    return context


def not_computed() -> tuple[int, str]:
    """How often the GPU did not compute something so far, and what that was."""
    agent = running()
    return (0, "") if agent is None else agent.not_computed()


def _compare_what_is_computed(region: Region) -> Outcome:
    """Where something is not computed, results may be alike for that reason, or differ."""
    before, _ = not_computed()
    outcome = _compare(region)
    after, what = not_computed()
    if after == before:
        return outcome
    reason = NOT_COMPUTED.format(what)
    return Outcome(UNDECIDED, outcome.function, outcome.calls, reason=reason)


def _compare(region: Region) -> Outcome:
    outcome = Outcome(SAME, name_of(region.function), region.inputs.calls)
    eager = _run_eagerly(region)
    noise, outcome.differences = _repeat(region, eager)
    if outcome.differences:
        outcome.result, outcome.reason = UNDECIDED, DISAGREE
        return outcome
    outcome.host = _host_changes(region, eager)
    outcome.replay, outcome.differences = _replay(region, eager, noise)
    if outcome.differences:
        outcome.result = DIFFERS
        outcome.first = first_difference(region, outcome.replay)
        if outcome.first is not None and outcome.first.is_random and outcome.first.cause is None:
            outcome.result, outcome.reason = UNDECIDED, OTHER_NUMBERS
    return outcome


def _run_eagerly(region: Region) -> list[Observed]:
    """What each of the calls leaves."""
    region.base.restore()
    found = []
    with region.on_stream():
        for call in range(region.inputs.calls):
            found.append(observe(region, region.call_alone(call)))
    return found


def _repeat(
    region: Region, eager: list[Observed]
) -> tuple[list[dict[str, float]], list[Difference]]:
    """Runs eagerly once more: by how much the runs differ, by name for each call, and what differs too much."""
    region.base.restore()
    noise: list[dict[str, float]] = []
    with region.on_stream():
        for call, expected in enumerate(eager):
            got = observe(region, region.call_alone(call))
            disagreements = differences(region, expected, got, {})
            if disagreements:
                return noise, disagreements
            both = got.values.keys() & expected.values.keys()
            noise.append(
                {it: largest_difference(expected.values[it], got.values[it]) for it in both}
            )
    return noise, []


def _replay(
    region: Region, eager: list[Observed], noise: list[dict[str, float]]
) -> tuple[int, list[Difference]]:
    """Replays call by call: the first call that leaves something else, with what is different."""
    region.base.restore()
    captured = region.capture()
    if captured.is_empty:
        raise ValueError(NO_WORK.format(name_of(region.function)))
    reached = reach(region.function, region.arguments)
    region.base.restore_values()
    with region.on_stream():
        for call, expected in enumerate(eager):
            region.inputs.write(call)
            captured.graph.replay()
            got = observe(region, captured.result, reached)
            different = differences(region, expected, got, noise[call])
            if different:
                return call + 1, different
    return _replay_without_waiting(region, captured, reached, eager[-1], noise[-1])


def _replay_without_waiting(
    region: Region,
    captured: Captured,
    reached: Reached,
    expected: Observed,
    noise: dict[str, float],
) -> tuple[int, list[Difference]]:
    """Replays all calls with nothing in between, which shows what is only right when the host has waited."""
    region.base.restore_values()
    with region.on_stream():
        for call in range(region.inputs.calls):
            region.inputs.write(call)
            captured.graph.replay()
        got = observe(region, captured.result, reached)
    different = differences(region, expected, got, noise)
    return region.inputs.calls if different else 0, different


def _host_changes(region: Region, eager: list[Observed]) -> list[tuple[str, Plain, Plain]]:
    """The plain values that each call moves on, and no replay: name, before the calls and after them."""
    before = region.base.reached.plain
    found = []
    for name, last in eager[-1].plain.items():
        values = [before.get(name), *(it.plain.get(name) for it in eager)]
        if len(eager) > 1 and all(a != b for a, b in itertools.pairwise(values)):
            found.append((name, values[0], last))
    return found
