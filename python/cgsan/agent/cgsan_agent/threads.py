"""Threads of cgsan's take none of the program's signals."""

import contextlib
import signal

# What a thread raises by its own mistakes, which stay what they are.
OWN_FAULTS = {signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGTRAP}


@contextlib.contextmanager
def without_signals():
    """Blocks all signals in this thread: threads that are started meanwhile take none."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - OWN_FAULTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
