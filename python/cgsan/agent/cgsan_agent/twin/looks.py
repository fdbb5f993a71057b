"""What is known of a copy of the process that runs a region at a replay."""


class Look:
    """A copy of the process that runs a region at a replay."""

    def __init__(self, graph, replay, reach, child):
        self.graph = graph
        # The replay, and others at which nothing is different for the region.
        self.replays = [replay]
        # What the region could come upon, as a number; None where that is not known, or not all that counts.
        self.reach = reach
        self.child = child
        # What it found, once it is over; and why that is not known.
        self.answer = None
        self.why_none = None

    def is_over(self):
        """Whether it is known what it found."""
        return self.child is None

    def end(self):
        """Takes its answer. One that says nothing, or that hangs on random numbers, is one for this replay alone."""
        self.answer = self.child.answer()
        self.why_none = self.child.why_none()
        self.child = None
        if self.answer is None or self.answer["draws"]:
            self.reach = None
            del self.replays[1:]
