"""What children run: a region as it is captured, as if no capture ran, and at a replay."""

import contextlib
import contextvars
import threading

from . import (
    compare,
    flow,
    modes,
    names,
    numbers,
    reach,
    replaced,
    setters,
    since,
    steps,
    structures,
    world,
)
from .then import Then, unpacked

# Why it is not known whether a region leaves the same without a capture, unless both are computed.
LOOKS = "it looks there at numbers of the GPU, which were not computed; `cgsan run --virtual` computes them"
OF_OTHERS = "another thread or context replays it, and its code uses what each thread or context has of its own"


def then(found, kept, frame, stay, state, give):
    """In a child: what the region does as it is captured."""
    switches = modes.current()
    # Before the region moves them on.
    led = _numbers(found, kept.now(frame, stay))
    given = kept.given.found(found, kept.now(frame, stay))
    before = steps.Steps(has_cuda=not getattr(give, "lies_nowhere", False))
    with replaced.Calls() as calls:
        twin = world.run(found, kept.now(frame, stay), state, give, None)
    moved = []
    if twin.stopped is None:
        with contextlib.suppress(Exception):
            had_gradients = dict(twin.had_gradients)
            moved = before.found(
                lambda: world.run(found, kept.now(frame, stay), state, give, had_gradients)
            )
    return Then(
        twin.operators,
        twin.stopped,
        list(twin.had_gradients.items()),
        twin.asked,
        switches,
        *twin.called.as_plain(),
        list(twin.learning),
        moved,
        twin.draws,
        led,
        given,
        calls.as_plain(),
        twin.arguments.as_plain(),
        {name: it for name, it in twin.outputs.items() if it < 0},
        twin.unknown,
        structures.led(twin, found, kept.now(frame, stay)),
    ).as_plain()


def _numbers(source, variables):
    """The numbers that the region could come upon; none where that cannot be found out."""
    with contextlib.suppress(Exception):
        return numbers.of_region(source, variables)
    return []


def eagerly(twin, then, answer, give, variables):
    """In a child: what the region does if no capture runs, beside what it does in one."""
    then = unpacked(then)
    now = world.run(
        twin.source,
        variables,
        twin.state,
        give,
        dict(then.had_gradients),
        answer,
        then.modes,
        then.training,
    )
    found = compare.without_looks(now.operators)
    differences = []
    is_same = compare.are_reordered(then.operators, found)
    if not is_same and not flow.leave_the_same(then.operators, found):
        work = found, now.stopped, {}
        differences = compare.compare(then.work(), work, numbers_for_tensors=False)
    frozen = [it for it in differences if it["kind"] != "made_once"]
    for it in frozen:
        it["asked"] = compare.stack_of(now.asked)
    looks = any(name == compare.LOOK for name, _, _ in now.operators)
    return {
        "operators": len(found),
        "differences": frozen,
        "stopped": LOOKS if looks else now.stopped,
        "draws": False,
    }


def variables(twin, frame, stay, numbers):
    """In a child: what the region uses now. `numbers` are variables that are known otherwise."""
    return {**twin.variables.now(frame, stay), **numbers}


def _may_be_of_others(twin, variables):
    """Whether numbers and choices of the region may be those of the thread or context that replays. Its tensors are what it fills for
    the graph."""
    kinds = []
    if twin.state.is_of_another_thread():
        kinds.append(threading.local)
    if twin.state.is_of_another_context():
        kinds.append(contextvars.ContextVar)
    return bool(kinds) and reach.meets(tuple(kinds), twin.source, variables)


def _set_by(of_callers, region, then):
    """The functions that set what the region does otherwise for, if it does what it did once that is set back."""
    if of_callers.set_back() and not compare.compare(then.work(), region.as_captured().work()):
        return of_callers.functions
    return None


def _constants(twin, of_capture):
    """The numbers that the region's code names, or its variables have from the capture."""
    kept = twin.variables.plain()
    values = [*twin.source.constants(), *(kept[name] for name in of_capture & kept.keys())]
    return [repr(it) for it in values if type(it) in (int, float)]


def now(twin, then, others, find_variables, of_capture, given, give, alike):
    """In a child: what the region does now, beside what it did at the capture. The variables named in `of_capture` are those of then;
    `given` is what callers are given now."""
    then = unpacked(then)
    variables = find_variables()
    twin.variables.stand_in(variables)
    called = twin.variables.given.put(then.given, given, twin.source, variables)
    replaced.restore(then.calls, twin.variables.of_then, twin.source.code)
    region = since.Region(then, twin.source, variables, twin.state, give)
    now = region.as_captured()
    found = now.work()
    differences = compare.compare(then.work(), found, alike)
    is_of_another, cause = False, None
    # What is made once, or now, tells of this graph's own memory.
    if any(it["kind"] not in ("made_once", "made_now") for it in differences):
        cause = region.hook(now, differences[0])
        for other in others:
            if not compare.compare(unpacked(other).work(), found):
                differences, is_of_another, cause = [], True, None
                break
        else:
            cause = cause or region.learning(now) or region.frozen(now)
    elif now.stopped is None:
        # What is computed for a parameter and left out since looks as if it was made once.
        cause = region.frozen(now) if differences else None
        if cause is None:
            switched, cause = region.switched(now)
            differences = switched or differences
        if now.unknown and not (differences or is_of_another):
            before = [unpacked(other) for other in others]
            differences = structures.differences(then, now, before, twin.source, variables)
    stopped = then.stopped or now.stopped
    if differences and _may_be_of_others(twin, variables):
        of_tensors = [it for it in differences if it["kind"] == "tensor"]
        stopped = stopped if of_tensors == differences else OF_OTHERS
        differences = of_tensors
    still_read = []
    with contextlib.suppress(Exception):
        names.add(differences, twin.source, variables)
        numbers.add(differences, then.numbers, twin.source, variables, called)
        if not now.stopped:
            kept = names.storages(variables[name] for name in of_capture & variables.keys())
            still_read = sorted(compare.still_read(then.operators, now.operators) - kept)
    set_by = None
    if differences and not stopped and cause is None:
        with contextlib.suppress(Exception):
            set_by = _set_by(setters.Setters(then.numbers, twin.source, variables), region, then)
    return {
        "operators": len(now.operators),
        "differences": differences,
        "stopped": stopped,
        "cause": cause,
        "draws": now.draws,
        "moved": twin.variables.have_moved(variables, twin.source.globals),
        "fixed": bool(twin.variables.plain()) or bool(twin.source.constants()),
        "constants": _constants(twin, of_capture),
        "arguments": then.arguments,
        "is_of_another": is_of_another,
        "still_read": still_read,
        "set_by": set_by,
    }
