"""In children: whether a region leaves the same with a capture and without one, by what is computed."""

from . import computed, graphed, left, mode, world
from .then import unpacked


class NotComputed(Exception):
    """It is not known what the region leaves."""


def left_in_capture(twin, then, variables):
    """What the region leaves as it is captured, as it can be marshalled, and whether it drew random numbers."""
    found, has_drawn = _run(twin, unpacked(then), variables(), captures=True)
    return found.as_plain(), has_drawn


def differs_eagerly(twin, then, variables, captured):
    """Whether it leaves something else if no capture runs; None where that cannot be said."""
    other, other_has_drawn = captured
    found, has_drawn = _run(twin, unpacked(then), variables(), captures=False)
    differs = found.differs_from(other)
    # Drawn in another order, random numbers are others.
    return None if differs and (has_drawn or other_has_drawn) else differs


def _run(twin, then, variables, captures):
    before = left.Before(twin.source, variables)
    give = computed.Computed(before.keep)
    own = mode.Twin(give, dict(then.had_gradients))
    found = variables
    with (
        mode.stops_as(own),
        world.as_captured(own, twin.state, captures, then.modes),
        own.called.followed(then.training),
    ):
        graphed.restore(variables)
        region, own.root = twin.source.compiled(variables)
        found = region()
    if own.stopped is not None:
        raise NotComputed(own.stopped)
    return before.left(own.operators, found), give.has_drawn
