"""What the agent has to do when Python ends. Nothing of it may print into the program's end."""

import atexit


def at_end(function):
    """Has `function` called when the program has ended. Called in reverse order; what it raises is dropped, and not printed."""
    atexit.register(_quietly, function)


def _quietly(function):
    try:  # noqa: SIM105  (what is imported may be gone by then)
        function()
    except Exception:
        pass
