"""How much of a program's time the agent may take for something."""

import time


class Budget:
    """A share of the time that has passed, and some seconds anyway."""

    def __init__(self, share, anyway):
        self._share = share
        self._anyway = anyway
        self._spent = 0.0
        self._since = time.monotonic()

    def spend(self, began):
        """Counts what has passed since `began`, a time of the monotonic clock."""
        self._spent += time.monotonic() - began

    def is_spent(self):
        """Whether more was taken than may be."""
        passed = time.monotonic() - self._since
        return self._spent > self._anyway + self._share * passed
