"""Which changes belong to the making of a graph, and not to each call of what it has captured."""

from .host_draws import Drawn
from .plain_values import same


class PerCapture:
    """Values that captures move on and that no eager call does, such as the number of captures or the next free slot."""

    def __init__(self):
        # By name: after the last capture, how many captures changed it, and whether it was left alone in between.
        self._known = {}

    def add(self, changes):
        """Takes note of what one more capture changed."""
        for change in changes:
            if type(change) is Drawn:
                continue
            last, captures, is_left_alone = self._known.get(change.name, (None, 0, True))
            if captures and (last is None or not same(last, change.before)):
                is_left_alone = False
            self._known[change.name] = (change.after, captures + 1, is_left_alone)

    def counts(self, change):
        """Whether a change may be one for the capture, and not one for each call."""
        _, captures, is_left_alone = self._known.get(change.name, (None, 0, False))
        return captures > 1 and (is_left_alone or change.is_inline)
