"""What `cgsan.verify` runs is not the program's: no rule is to judge it, and it says itself what it found."""

import contextlib
import sys

# How many verifications are running, in whatever thread: autograd's threads compute for them too.
running = 0


@contextlib.contextmanager
def operators_and_captures():
    """Has no operator recorded, and no capture looked at. Calls to CUDA are, so that failing captures are explained."""
    global running
    running += 1
    enable = sys.modules["torch"]._C._autograd._enable_record_function
    enable(False)
    try:
        yield
    finally:
        running -= 1
        enable(not running)
