"""`cgsan.verify`: a region by replays computes what it computes eagerly, from the same state and with the same inputs."""

import contextlib
import importlib
import itertools
import sys

import torch

from .inputs import Inputs
from .observed import differences, observe
from .operators.first import first_difference
from .outcome import DIFFERS, SAME, UNDECIDED, Outcome, Unusable
from .region import Region
from .state.reach import name_of, reach
from .state.snapshot import Snapshot
from .tolerance import Tolerance, largest_difference

# What watches a program under `cgsan run`.
AGENT = "cgsan_agent"

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


def verify(function, *inputs, replays=3, warmup=3, also=None, rtol=None, atol=None, check=True):
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
    with _unrecorded():
        before = Snapshot(function, inputs)
        try:
            region = Region(function, inputs, Inputs(inputs, also, replays), tolerance)
            region.warm_up(before, warmup)
            outcome = _compare_what_is_computed(region)
        finally:
            torch.cuda.synchronize()
            before.restore()
    return outcome.checked() if check else outcome


def _usable(replays, warmup):
    if replays < 1 or warmup < 1:
        raise ValueError("`replays` and `warmup` are at least 1")
    if not torch.cuda.is_available():
        raise Unusable("there is no GPU: start the program with `cgsan run`")
    if AGENT in sys.modules and not sys.modules[AGENT].computes():
        raise Unusable(
            "the virtual GPU does not compute: start the program with `cgsan run` and without `--no-values`"
        )
    if torch.cuda.is_current_stream_capturing():
        raise Unusable("a capture is running, and this captures a graph of its own")


def _unrecorded():
    """Under `cgsan run`, what is verified is not judged a second time."""
    if AGENT not in sys.modules:
        return contextlib.nullcontext()
    return importlib.import_module(f"{AGENT}.unrecorded").operators_and_captures()


def not_computed():
    """How often the GPU did not compute something so far, and what that was."""
    return sys.modules[AGENT].not_computed() if AGENT in sys.modules else (0, "")


def _compare_what_is_computed(region):
    """Where something is not computed, results may be alike for that reason, or differ."""
    before, _ = not_computed()
    outcome = _compare(region)
    after, what = not_computed()
    if after == before:
        return outcome
    reason = NOT_COMPUTED.format(what)
    return Outcome(UNDECIDED, outcome.function, outcome.calls, reason=reason)


def _compare(region):
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


def _run_eagerly(region):
    """What each of the calls leaves."""
    region.base.restore()
    found = []
    with region.on_stream():
        for call in range(region.inputs.calls):
            found.append(observe(region, region.call_alone(call)))
    return found


def _repeat(region, eager):
    """Runs eagerly once more: by how much the runs differ, by name for each call, and what differs too much."""
    region.base.restore()
    noise = []
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


def _replay(region, eager, noise):
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


def _replay_without_waiting(region, captured, reached, expected, noise):
    """Replays all calls with nothing in between, which shows what is only right when the host has waited."""
    region.base.restore_values()
    with region.on_stream():
        for call in range(region.inputs.calls):
            region.inputs.write(call)
            captured.graph.replay()
        got = observe(region, captured.result, reached)
    different = differences(region, expected, got, noise)
    return region.inputs.calls if different else 0, different


def _host_changes(region, eager):
    """The plain values that each call moves on, and no replay: name, before the calls and after them."""
    before = region.base.reached.plain
    found = []
    for name, last in eager[-1].plain.items():
        values = [before.get(name), *(it.plain.get(name) for it in eager)]
        if len(eager) > 1 and all(a != b for a, b in itertools.pairwise(values)):
            found.append((name, values[0], last))
    return found
