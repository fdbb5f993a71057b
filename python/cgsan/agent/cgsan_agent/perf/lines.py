"""The lines of the program that ask for work, by looking at its main thread many times a second."""

import sys
import threading
import time

# Seconds between two looks.
PAUSE = 0.0003
# Frames of a stack that are kept, innermost first.
DEPTH = 48


def look(is_enough):
    """Looks until `is_enough()`. Returns frames, stacks (frames by number, innermost first) and samples (the time of the clock in
    nanoseconds, and the stack by number)."""
    main = threading.main_thread().ident
    frames, stacks, samples = {}, {}, []
    while not is_enough():
        time.sleep(PAUSE)
        now = time.monotonic_ns()
        frame = sys._current_frames().get(main)
        stack = []
        while frame is not None and len(stack) < DEPTH:
            code = frame.f_code
            place = (code.co_filename, frame.f_lineno, getattr(code, "co_qualname", code.co_name))
            stack.append(frames.setdefault(place, len(frames)))
            frame = frame.f_back
        samples.append((now, stacks.setdefault(tuple(stack), len(stacks))))
    return {"frames": list(frames), "stacks": list(stacks), "samples": samples}
