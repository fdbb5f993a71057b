"""What regions do that ask whether a capture runs, if none does: which operators they run, and, on the virtual GPU, what they leave."""

import collections
import time

from .. import values
from . import children

# Replays before which what is left is compared, of each graph; and seconds that this may take in all.
COMPARED, LONGEST = 6, 60
# Children without an answer, after which there are no more for their graph.
FAILED = 2


class WithoutCapture:
    """Runs the regions of a process's graphs so."""

    def __init__(self, recorder):
        self._recorder = recorder
        # By graph, at how many replays it was compared.
        self._compared = {}
        # By graph, how often there was no answer.
        self._failed = collections.Counter()
        # Graphs of which nothing more is to be found out.
        self._decided = set()
        self._left = LONGEST

    def operators(self, twin, then, give, variables):
        """How a region differs from what it did at its capture, whatever the host sees where it looks; None if that was not found out."""
        from . import runs

        answers = []
        for answer in (False, True):
            child = children.Child(self._recorder)
            child.run(lambda answer=answer: runs.eagerly(twin, then, answer, give, variables))
            told = child.answer()
            # Where the host looks at nothing, it does the same whatever it is told.
            if told is not None and (told["differences"] or told["stopped"] is None):
                return told
            answers.append(told)
        return None if None in answers else answers[0]

    def compare(self, graph, replay, twin, then, variables):
        """Compares what the region of a graph that is about to be replayed leaves with a capture and without one."""
        count = self._compared.get(graph, 0)
        is_wanted = twin.asks and graph not in self._decided and count < COMPARED
        if not is_wanted or self._left <= 0 or not values.may_be_looked_at():
            return
        from . import eager

        began = time.monotonic()
        self._compared[graph] = count + 1
        captured = self._run(lambda: eager.left_in_capture(twin, then, variables))
        answer = captured and self._run(
            lambda: (eager.differs_eagerly(twin, then, variables, captured),)
        )
        self._left -= time.monotonic() - began
        if not answer or answer[0] is None:
            self._failed[graph] += 1
            if self._failed[graph] >= FAILED:
                self._decided.add(graph)
            return
        if answer[0]:
            self._decided.add(graph)
        self._recorder.event(
            {"event": "left_compared", "graph": graph, "replay": replay, "differs": answer[0]}
        )

    def _run(self, work):
        """What a child answers that has the memory of the GPU as it is now."""
        child = children.Child(self._recorder)
        self._recorder.keep_in_copies(True)
        try:
            child.run(work)
        finally:
            self._recorder.keep_in_copies(False)
        return child.answer()
