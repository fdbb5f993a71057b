"""The clock of the process: a file in which the library notes each launch, replay and copy with its time."""

import mmap
import os
import struct

# The format is that of `crates/trace/src/clock.rs`.
HEADER = 64
TICK = 16
CAPACITY = 1 << 20
COUNT_OFFSET = 16
REPLAYED = 2
STEP = 4
WAITED = 5


class Clock:
    """The clock of the library that was loaded for this process."""

    def __init__(self, recorder):
        self._recorder = recorder
        self.file = os.path.join(os.environ["CGSAN_RUN_DIRECTORY"], f"clock-{os.getpid()}")
        with open(self.file, "rb") as file:
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def stop(self):
        """Ends it. What was written stays."""
        self._recorder.clock_stop()

    def count(self):
        """How many ticks there were."""
        return struct.unpack_from("<Q", self._map, COUNT_OFFSET)[0]

    def mark_step(self):
        """Notes that the program begins a step."""
        self._recorder.clock_step()

    def may_change(self):
        """Whether a profiler may start or end: nothing captures, and nothing begins to until `changed` is called."""
        return self._recorder.clock_may_change()

    def changed(self):
        """Says that a profiler has started or ended."""
        self._recorder.clock_changed()

    def recent(self, most):
        """What the last ticks asked for, a number each, the last one first; and when, in nanoseconds."""
        count = self.count()
        whats, times = [], []
        # The last ones may be half written.
        for place in range(count - 3, max(count - 3 - min(most, CAPACITY // 2), -1), -1):
            offset = HEADER + place % CAPACITY * TICK
            when, what = struct.unpack_from("<QQ", self._map, offset)
            if what >> 56 != WAITED:
                whats.append(what)
                times.append(when)
        return whats, times


def period(whats):
    """The length of what repeats at the beginning of a sequence, at least three times and over as much of it as can be had, and how
    much that is; None and 0 if nothing repeats."""
    marks = [place for place, what in enumerate(whats) if what >> 56 == STEP]
    if len(marks) >= 3:
        return marks[1] - marks[0], marks[-1]
    fallback = [0]
    found, covered = None, 0
    for place in range(1, len(whats)):
        length = fallback[place - 1]
        while length and whats[length] != whats[place]:
            length = fallback[length - 1]
        length += whats[length] == whats[place]
        fallback.append(length)
        repeated = place + 1 - length
        if place + 1 >= 3 * repeated:
            found, covered = repeated, place
    return found, covered
