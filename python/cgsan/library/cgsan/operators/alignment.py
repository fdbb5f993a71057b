"""Which operators of two runs are the same call."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .entry import Entry

# Beyond the common beginning and end, this many operators of each run are put beside each other.
MIDDLE = 4_000


def align(left: list[Entry], right: list[Entry]) -> list[tuple[int, int]]:
    """Pairs of positions in two lists of operators, in order."""
    keys, others = [it.key for it in left], [it.key for it in right]
    begin = 0
    while begin < min(len(keys), len(others)) and keys[begin] == others[begin]:
        begin += 1
    end = 0
    while end < min(len(keys), len(others)) - begin and keys[-1 - end] == others[-1 - end]:
        end += 1
    pairs = [(at, at) for at in range(begin)]
    middle, other_middle = keys[begin : len(keys) - end], others[begin : len(others) - end]
    if max(len(middle), len(other_middle)) <= MIDDLE:
        matcher = difflib.SequenceMatcher(None, middle, other_middle, autojunk=False)
        for at, other, count in matcher.get_matching_blocks():
            pairs.extend((begin + at + it, begin + other + it) for it in range(count))
    pairs.extend((len(keys) - end + it, len(others) - end + it) for it in range(end))
    return pairs
