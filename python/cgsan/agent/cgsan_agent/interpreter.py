"""What kind of Python runs here."""

import sys

# The interpreters whose stacks the recorder can read; of free-threaded ones, those that say how they lay out their objects.
OLDEST = (3, 10)
OLDEST_FREE_THREADED = (3, 13)
NEWEST = (3, 15)


def is_supported():
    """Whether the recorder can read its stacks."""
    oldest = OLDEST_FREE_THREADED if _is_free_threaded() else OLDEST
    return sys.implementation.name == "cpython" and oldest <= sys.version_info[:2] <= NEWEST


def name():
    """Its name, for a person."""
    if sys.implementation.name != "cpython":
        return sys.implementation.name
    return "free-threaded CPython" if _is_free_threaded() else "CPython"


def has_gil():
    """Whether only one thread at a time runs Python; a free-threaded one may have turned its lock on."""
    return getattr(sys, "_is_gil_enabled", lambda: True)()


def _is_free_threaded():
    return "t" in sys.abiflags
