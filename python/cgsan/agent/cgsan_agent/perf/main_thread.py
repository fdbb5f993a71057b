"""Calls in the program's main thread, between two of its bytecodes, as handlers of signals are.

PyTorch's profiler begins for the first time in the thread that imported PyTorch, or says on standard error that it should have.
"""

import ctypes
import threading
import time

# Seconds between two looks at whether the program has ended.
PAUSE = 0.05


class Call:
    """One such call."""

    def __init__(self, what):
        self._what = what
        self._lock = threading.Lock()
        self._state = "waiting"
        self._done = threading.Event()
        self._error = None
        # Kept alive until it has been called.
        self._function = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(self._run)

    def make(self, seconds, is_over):
        """Has it made, and waits for it. Whether it was made in time, and before `is_over()`; if not, it will not be. Raises what it
        raises."""
        if ctypes.pythonapi.Py_AddPendingCall(self._function, None) != 0:
            return False
        _kept.append(self)
        end = time.monotonic() + seconds
        in_time = False
        while not in_time and time.monotonic() < end and not is_over():
            in_time = self._done.wait(PAUSE)
        with self._lock:
            if self._state == "waiting":
                self._state = "given up"
                return False
        if not in_time:
            self._done.wait()
        if self._error is not None:
            raise self._error
        return True

    def _run(self, _):
        with self._lock:
            if self._state != "waiting":
                return 0
            self._state = "running"
        try:
            self._what()
        except Exception as error:
            self._error = error
        finally:
            self._done.set()
        return 0


# Calls that Python may still make.
_kept = []
