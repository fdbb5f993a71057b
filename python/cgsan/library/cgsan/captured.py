"""A captured graph beside what its region would do now: what the agent of `cgsan run` knows, in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING

import torch

from .agent import running
from .alike import hold_the_same
from .outcome import DIFFERS, SAME, UNDECIDED, AnyOutcome, Result, Unusable
from .place import Place
from .verification import not_computed, unrecorded

if TYPE_CHECKING:
    from .agent import Agent, Cause, Comparison, Difference, Learns, Operator

# Tensors that may be others than at the capture and hold the same, before nothing is decided.
PAIRS = 32
UNWATCHED = (
    "what code a graph was captured from is known under `cgsan run` alone: start the program with it, or give the function "
    "in place of the graph"
)
INPUTS = "a graph takes no inputs: write into the tensors that it reads, and give the graph alone"
ANOTHER = "the program is at the turn of another graph of the same place"
COVERED = "eager now would work on size {} in place of {}, which padding may take care of"
MADE_NOW = (
    "the graph reads a tensor of before its capture that eager now would make anew, with `{}`"
)
OF_TENSOR = (
    "the graph gives `{}` a tensor, eager now would give it {}: what the tensor holds is not known"
)
UNKNOWN_CONTENTS = "the graph reads a tensor to which no name leads any more, in place of the one that eager now would read"


@dataclasses.dataclass
class GraphOutcome(AnyOutcome):
    """What a comparison of the next replay with the captured code found. `ok` if both do the same work."""

    result: Result
    # How many operators were compared.
    operators: int = 0
    # What differs, in words, or why nothing can be decided.
    reason: str = ""
    # The failure mode that it is.
    id: str = ""
    # The line that it is about.
    place: Place | None = None

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def verify_graph(
    graph: torch.cuda.CUDAGraph, inputs: tuple[object, ...], check: bool
) -> GraphOutcome:
    """What `cgsan.verify(graph)` does."""
    if inputs:
        raise TypeError(INPUTS)
    agent = running()
    if agent is None or agent.recorder() is None:
        raise Unusable(UNWATCHED)
    if torch.cuda.is_current_stream_capturing():
        raise Unusable("a capture is running")
    outcome = _compare(agent, graph)
    return outcome.checked() if check else outcome


def _compare(agent: Agent, graph: torch.cuda.CUDAGraph) -> GraphOutcome:
    alike: list[tuple[int, int]] = []
    while len(alike) < PAIRS:
        found = agent.compare(graph, tuple(alike))
        if isinstance(found, str):
            return GraphOutcome(UNDECIDED, reason=found)
        difference = next(filter(_matters, found["differences"]), None)
        if difference is None:
            return _without_difference(found)
        pair = difference.get("address", 0), difference.get("address_now", 0)
        if difference["kind"] != "tensor" or pair in alike or not pair[1]:
            return _different(found, difference)
        same = _hold_the_same(agent, pair)
        if same is None:
            return GraphOutcome(UNDECIDED, found["operators"], UNKNOWN_CONTENTS)
        if not same:
            return _different(found, difference)
        alike.append(pair)
    return GraphOutcome(UNDECIDED, reason="too many tensors are others than at the capture")


def _hold_the_same(agent: Agent, pair: tuple[int, int]) -> bool | None:
    """Whether the tensors at two addresses hold the same; None if that is not known."""
    if not agent.computes():
        return None
    before, _ = not_computed()
    with unrecorded():
        same = hold_the_same(*pair)
    return same if not_computed()[0] == before else None


def _without_difference(found: Comparison) -> GraphOutcome:
    if found["is_of_another"]:
        return GraphOutcome(UNDECIDED, found["operators"], ANOTHER)
    if found["stopped"]:
        return GraphOutcome(UNDECIDED, found["operators"], found["stopped"])
    return GraphOutcome(SAME, found["operators"])


def _matters(difference: Difference) -> bool:
    """Whether it is more than what is set up once, and only read since."""
    return difference["kind"] != "made_once" or difference["use"] == "changed"


def _different(found: Comparison, difference: Difference) -> GraphOutcome:
    """What a difference comes to."""
    operators = found["operators"]
    place = _place(difference.get("then") or difference.get("now"))
    if found["cause"] is not None:
        text, id = _since(found["cause"])
        return GraphOutcome(DIFFERS, operators, text, id, place)
    then, now = _name(difference.get("then")), _name(difference.get("now"))
    captured, eager = difference.get("captured"), difference.get("eager")
    match difference["kind"]:
        case "number" if difference.get("address"):
            return GraphOutcome(UNDECIDED, operators, OF_TENSOR.format(then, eager))
        case "number" | "field":
            text = f"the capture gave `{then}` {captured}, eager now would give it {eager}"
            id = "CG205"
        case "size":
            text = f"`{then}` was captured for size {captured}, eager now would work on {eager}"
            id = "CG207"
        case "covered":
            return GraphOutcome(UNDECIDED, operators, COVERED.format(eager, captured))
        case "offset":
            text = (
                f"`{then}` was captured for the part at element {captured} of a tensor, eager now would work on the part at "
                f"element {eager}"
            )
            id = "CG220"
        case "tensor":
            called = f", `{difference['name']}`" if difference.get("name") else ""
            text = f"the graph gives `{then}` the tensor of the capture, eager now would give it another one{called}"
            id = "CG203"
        case "made_once":
            text = f"each replay runs `{then}` again, eager now would go on with the tensor that it made at the capture"
            id = "CG217"
        case "made_now":
            return GraphOutcome(UNDECIDED, operators, MADE_NOW.format(now))
        case "contents":
            text = (
                f"the capture gave `{then}` a tensor of the host that holds {captured}, eager now would give it one with "
                f"{eager}"
            )
            id = "CG220"
        case _ if then is not None and then == now:
            text, id = _of_one_name(then, captured, eager), "CG201"
        case _:
            text, id = _operators(then, now), "CG201"
    return GraphOutcome(DIFFERS, operators, text, id, place)


def _since(cause: Cause) -> tuple[str, str]:
    """What is another one since the capture, and the failure mode that it is."""
    if "mode" in cause:
        mode = cause["mode"]
        return (
            f"`{mode['name']}` was {mode['captured']} at the capture, and is {mode['eager']} now",
            "CG201",
        )
    if "learns" in cause:
        return _gradients(cause["learns"]), "CG222"
    hook = cause["hook"]
    called = f"the {hook['kind'].replace('_', '-')} hook `{hook['hook']}`"
    if hook["added"]:
        return f"eager now would run {called}, which was registered after the capture", "CG213"
    return f"the graph holds the work of {called}, which was removed after the capture", "CG213"


def _gradients(learns: Learns) -> str:
    name = learns["parameter"]
    which = "a parameter" if name is None else f"`{name}`"
    if learns["others"]:
        which += f" and {learns['others']} more"
    return f"eager now would compute gradients of {which}, which required none at the capture"


def _of_one_name(name: str, captured: str | None, eager: str | None) -> str:
    if captured is not None:
        return f"the capture gave `{name}` a tensor of {captured}, eager now would give it one of {eager}"
    return (
        f"the capture ran this `{name}`, eager now would give it other arguments or run another one"
    )


def _operators(then: str | None, now: str | None) -> str:
    if then and now:
        return f"the capture ran `{then}`, eager now would run `{now}` in its place"
    if then:
        return f"the capture ran `{then}`, eager now would not run it"
    return f"eager now would run `{now}` here, the capture did not"


def _name(operator: Operator | None) -> str | None:
    """An operator as a person knows it: `mul` of `aten.mul.Tensor`."""
    if operator is None:
        return None
    name = operator["operator"]
    return name.split(".")[1] if name.startswith("aten.") else name.removeprefix("triton::")


def _place(operator: Operator | None) -> Place | None:
    if operator is None or not operator["stack"]:
        return None
    innermost = operator["stack"][0]
    return Place(innermost["file"], innermost["line"])


def _lines(outcome: GraphOutcome) -> Iterator[str]:
    if outcome.result == SAME:
        yield f"the next replay does what the captured code would do now: {outcome.operators} operators"
    elif outcome.result == UNDECIDED:
        yield f"cannot decide whether the next replay does what the captured code would do now: {outcome.reason}"
    else:
        yield "the next replay does something else than the captured code would do now"
        if outcome.place is not None:
            yield f"  --> {outcome.place}: {outcome.place.code.strip()}"
        yield f"  = cause: {outcome.reason}"
        yield f"  = more: `cgsan explain {outcome.id}`"
