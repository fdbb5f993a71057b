"""How many replays of each graph were compared with an eager run of its region, and why others were not."""

import collections

NOT_REPLAYED = "no replay of it was looked at"
TOO_DEAR = "the comparison has taken its share of the run's time"


class Tally:
    """What came of the looks at the replays of all graphs."""

    def __init__(self):
        self._compared = collections.Counter()
        self._reasons = {}

    def compared(self, graph, stopped):
        """Counts a comparison, which stopped for a reason before the region ended, or went through it."""
        if stopped is None:
            self._compared[graph] += 1
        else:
            self._reasons[graph] = stopped

    def left_out(self, graph, reason):
        """Notes that a replay was not compared."""
        self._reasons.setdefault(graph, reason)

    def of(self, graph):
        """How many replays were compared; and if none was, why."""
        count = self._compared[graph]
        return count, None if count else self._reasons.get(graph, NOT_REPLAYED)
