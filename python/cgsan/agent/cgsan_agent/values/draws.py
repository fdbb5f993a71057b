"""Random numbers that an operator draws, whichever it is."""

from collections.abc import Callable
from typing import Any, NamedTuple


class Draw(NamedTuple):
    """Random numbers that an operator draws."""

    # By how much it moves the generator's offset.
    increment: int
    # Computes the operator with the numbers that follow from a seed and an offset, and returns what is still to be written to its
    # results; none if only their count is known.
    compute: Callable[[int, int], Any] | None


# What an operator draws that could draw and does not.
NOTHING = Draw(0, None)
