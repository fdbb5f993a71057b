"""What a verification came to, and how it says so."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from typing_extensions import Self

    from .observed import Difference
    from .operators.first import First
    from .place import Place
    from .state.reach import Plain

Result: TypeAlias = Literal["same", "differs", "undecided"]
SAME: Final = "same"
DIFFERS: Final = "differs"
UNDECIDED: Final = "undecided"

# Differences that are listed.
LISTED = 4


class Mismatch(AssertionError):
    """A replay computes something else than the eager call. `outcome` has the details."""

    def __init__(self, outcome: AnyOutcome) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


class Undecided(RuntimeError):
    """Whether replays are right cannot be said. `outcome` has the reason."""

    def __init__(self, outcome: AnyOutcome) -> None:
        super().__init__(str(outcome))
        self.outcome = outcome


class Unusable(RuntimeError):
    """Nothing can be verified here."""


class AnyOutcome:
    """What a verification found, be it of a function or of a graph."""

    result: Result
    # Why nothing can be decided, if that is so.
    reason: str

    @property
    def ok(self) -> bool:
        return self.result == SAME

    def checked(self) -> Self:
        """The outcome itself, if nothing is wrong with it."""
        if self.result == DIFFERS:
            raise Mismatch(self)
        if self.result == UNDECIDED:
            raise Undecided(self)
        return self


@dataclasses.dataclass
class Outcome(AnyOutcome):
    """What the verification of a function found. `ok` if every replay left what the eager call left."""

    result: Result
    function: str
    calls: int
    # The first replay that differs, counted from 1, and what differs after it.
    replay: int = 0
    differences: list[Difference] = dataclasses.field(default_factory=list)
    # The first operator that differs, with its place, its gap and the cause, if one was found.
    first: First | None = None
    reason: str = ""
    # Plain values of Python that each call changes and no replay: name, value before the calls, value after them.
    host: list[tuple[str, Plain, Plain]] = dataclasses.field(default_factory=list)

    def __str__(self) -> str:
        return "\n".join(_lines(self))


def _lines(outcome: Outcome) -> Iterator[str]:
    name, first = outcome.function, outcome.first
    if outcome.result == SAME:
        yield f"`{name}`: {outcome.calls} replays leave what eager calls leave"
        return
    if outcome.result == UNDECIDED:
        yield f"cannot decide whether replays of `{name}` are right: {outcome.reason}"
    else:
        yield f"replay {outcome.replay} of `{name}` computes something else than the eager call"
    if first is not None and first.place is not None:
        yield f"  --> {first.place}"
        yield from _line(first.place, first.operator)
    yield from _facts(outcome)


def _line(place: Place, operator: str) -> Iterator[str]:
    number = str(place.line)
    code = place.code
    text = code.strip()
    indent = " " * (len(code) - len(code.lstrip()))
    space = " " * len(number)
    yield f"{space} |"
    yield f"{number} | {indent}{text}"
    yield f"{space} | {indent}{'^' * max(len(text), 1)} `{operator}` is the first operator that differs"
    yield f"{space} |"


def _facts(outcome: Outcome) -> Iterator[str]:
    first = outcome.first
    if first is not None:
        if first.gap is not None:
            yield f"  = values: {first.gap}"
        if first.cause is not None:
            yield f"  = cause: {first.cause.text}"
            yield f"  = more: `cgsan explain {first.cause.id}`"
    elif outcome.result == DIFFERS:
        yield "  = note: no single operator differs while their results are recorded: the graph depends on memory that it"
        yield "          shares, or on work that runs at the same time"
    for difference in outcome.differences[:LISTED]:
        yield f"  = differs: {difference}"
    left = len(outcome.differences) - LISTED
    if left > 0:
        yield f"  = differs: {left} more"
    for path, before, after in outcome.host[:LISTED]:
        yield f"  = host: eager calls take `{path}` from {before!r} to {after!r}, replays leave it"
