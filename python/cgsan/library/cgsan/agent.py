"""The agent of `cgsan run` in this process: what this package asks of it."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, TypedDict, cast, final

if TYPE_CHECKING:
    import torch
    from typing_extensions import Required

NAME = "cgsan_agent"


def running() -> Agent | None:
    """The agent, if the process runs under `cgsan run`."""
    return cast("Agent | None", sys.modules.get(NAME))


class Agent(Protocol):
    """The module of this name."""

    parts: ModuleType

    def computes(self) -> bool: ...

    def not_computed(self) -> tuple[int, str]: ...

    def recorder(self) -> Recorder | None: ...

    def compare(
        self, graph: torch.cuda.CUDAGraph, alike: tuple[tuple[int, int], ...]
    ) -> Comparison | str: ...


class Recorder(Protocol):
    """What records the program."""

    def graph_work(self) -> int: ...


class Frame(TypedDict):
    """A line of a stack."""

    file: str
    function: str
    line: int


class Operator(TypedDict):
    """An operator, and where it was called, innermost frame first."""

    operator: str
    stack: list[Frame]


class Difference(TypedDict, total=False):
    """Something that a region does not do as it did at its capture (`TwinDifference` in `crates/trace`)."""

    kind: Required[
        Literal[
            "operators",
            "number",
            "field",
            "offset",
            "size",
            "covered",
            "tensor",
            "made_once",
            "made_now",
            "contents",
        ]
    ]
    then: Operator | None
    now: Operator | None
    captured: str
    eager: str
    address: int
    address_now: int
    name: str
    use: Literal["unseen", "read", "overwritten", "changed"]


class Mode(TypedDict):
    """A mode that was switched since the capture, with what it was and is."""

    name: str
    captured: str
    eager: str


class Hook(TypedDict):
    """A hook that was registered since the capture, or removed."""

    kind: str
    hook: str
    added: bool


class Learns(TypedDict):
    """A parameter that requires gradients since the capture, and how many others do."""

    parameter: str | None
    others: int


@final
class OfMode(TypedDict):
    mode: Mode


@final
class OfHook(TypedDict):
    hook: Hook


@final
class OfLearning(TypedDict):
    learns: Learns


# What brought differences about.
Cause: TypeAlias = OfMode | OfHook | OfLearning


class Comparison(TypedDict):
    """A region now beside what it did at its capture."""

    operators: int
    differences: list[Difference]
    stopped: str | None
    cause: Cause | None
    is_of_another: bool
