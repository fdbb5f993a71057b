"""Where the agent listens: at the ends of captures, of the program, and at the start of threads."""

import atexit
import contextlib
import sys
import threading

from . import autograd, exceptions


class Announced:
    """A method that says when it is about to be called.

    Looking it up on an instance is what says so. The caller gets the original method, so that no
    traceback gains a frame and the call itself is unchanged.
    """

    def __init__(self, original, announce):
        self.original = original
        self.announce = announce

    def __get__(self, instance, owner=None):
        if instance is not None:
            with contextlib.suppress(Exception):
                self.announce(instance)
        return self.original.__get__(instance, owner)


def name_threads(recorder):
    """Gives each Python thread's name to the recorder, in that thread."""
    recorder.name_thread(threading.current_thread().name)
    announce_calls(
        threading.Thread, "_set_native_id", lambda thread: recorder.name_thread(thread.name)
    )


def install(extension, recorder):
    """Listens to PyTorch's captures; `extension` is `torch._C`."""
    graph = getattr(extension, "_CUDAGraph", None)
    listener = CaptureListener(recorder)
    if isinstance(graph, type):
        announce_calls(graph, "capture_begin", listener.capture_begins)
        announce_calls(graph, "capture_end", listener.capture_ends)
    atexit.register(listener.program_ends)


def announce_calls(owner, name, announce):
    """Makes `owner.name` announce its calls, once."""
    original = vars(owner).get(name)
    if original is not None and not isinstance(original, Announced):
        setattr(owner, name, Announced(original, announce))


class CaptureListener:
    """Reports the exceptions that end captures or the program."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._thread = threading.local()
        # The exception last reported with its autograd graph. Only its identity: to keep it would
        # be to keep its frames.
        self._reported = None

    def capture_begins(self, _graph):
        """Notes which exception is being handled already: it does not end the capture."""
        self._thread.handled_before = id(sys.exc_info()[1])

    def capture_ends(self, _graph):
        """Reports the exception in flight, if one is."""
        exception = sys.exc_info()[1]
        if exception is not None and id(exception) != getattr(self._thread, "handled_before", None):
            self._report(exception, uncaught=False)

    def program_ends(self):
        """Reports the exception that ended the program, if one did."""
        with contextlib.suppress(Exception):
            exception = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
            if isinstance(exception, BaseException):
                self._report(exception, uncaught=True)

    def _report(self, exception, uncaught):
        self._recorder.event(exceptions.describe(exception, uncaught))
        if self._reported == id(exception):
            return
        self._reported = id(exception)
        graph = autograd.describe(exception)
        if graph is not None:
            self._recorder.event(graph)
