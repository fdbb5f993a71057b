"""Backward graphs of `make_graphed_callables` that are replayed for a forward behind which there was another one."""

import sys
import weakref

from .. import autograd
from .graphed_modules import NEAREST, TAIL

# Forwards remembered of one callable.
CALLS = 64


class GraphedCalls:
    """The forwards of graphed callables, by what autograd keeps of each until its backward. Nothing is kept alive."""

    def __init__(self):
        # By the class that `make_graphed_callables` makes for each callable.
        self._of = weakref.WeakKeyDictionary()

    def look(self, graph):
        """Takes note of a replay that is about to happen, of the graph with a number. Returns the number of the forward graph if the
        replay is of a backward, and the forward was replayed since for another one."""
        function, context = _of_stack()
        if context is None:
            return None
        calls = self._of.setdefault(type(context), [])
        if function == "forward":
            calls.append((graph, weakref.ref(context)))
            del calls[:-CALLS]
            return None
        own = [number for number, (_, reference) in enumerate(calls) if reference() is context]
        return calls[-1][0] if own and own[-1] + 1 < len(calls) else None


def _of_stack():
    """The name of the method of the callable's autograd function that this thread is in, and its context."""
    frame = sys._getframe(1)
    for _ in range(NEAREST):
        if frame is None:
            break
        code = frame.f_code
        if code.co_name in ("forward", "backward") and code.co_filename.endswith(TAIL):
            return code.co_name, autograd.local_variables(frame).get("ctx")
        frame = frame.f_back
    return None, None
