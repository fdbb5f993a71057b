"""Computations of launches that are no operator's: done at once, when it is their stream's turn, or at each replay."""

from .beneath import BeneathAutograd

# When values are computed, as the virtual GPU says: not at all, at once, once when it is its turn, or at each replay.
NOTHING, NOW, ONCE, AT_REPLAYS = range(4)
# Added where it moved bytes and computed nothing.
MOVED = 8


def launched(recorder, computation, when):
    """Has a launch computed that is of no operator, now or when it is its turn."""
    when %= MOVED
    if when == NOW:
        with BeneathAutograd():
            computation.run()
    elif when != NOTHING:
        capture = recorder.values_later(computation.run)
        if when == AT_REPLAYS:
            computation.belongs_to(capture, recorder)
