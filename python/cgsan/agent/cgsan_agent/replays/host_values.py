"""The plain values that a program can reach."""

import queue

from . import paths, search
from .plain_values import plain

# Values looked at before a capture, and after it.
VALUES = 4_000


def reachable(stack):
    """The plain values that can be reached: each with a key, what holds it, the step from there, and the object."""
    beginnings = search.roots(stack, only_own=True)
    for visited, step, value in search.walk(beginnings, only_own=True, values=VALUES):
        found = plain(value)
        if found is not None and not _is_of_queue(visited.value, step):
            root = visited.root
            yield (root.frame, root.module, visited.path, step), found, visited, step, value


def _is_of_queue(holder, step):
    """Whether it is what a queue counts for itself: `put` moves that on, and `get` does not."""
    return step == (paths.ATTRIBUTE, "unfinished_tasks") and isinstance(holder, queue.Queue)
