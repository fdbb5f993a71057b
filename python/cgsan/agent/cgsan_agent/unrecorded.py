"""What `cgsan.verify` runs is not the program's: no rule is to judge it, and it says itself what it found."""

import contextlib
import sys

# How many verifications are running, in whatever thread: autograd's threads compute for them too.
running = 0


@contextlib.contextmanager
def operators_and_captures():
    """Has no operator recorded, and no capture looked at. Calls to CUDA are, so that failing captures are explained."""
    global running
    recorder = sys.modules[__package__].recorder()
    if recorder is None:
        yield
        return
    running += 1
    recorder.leave_operators_unrecorded(True)
    try:
        yield
    finally:
        running -= 1
        recorder.leave_operators_unrecorded(False)
