"""Where the agent listens: at the ends of captures, of threads and of the program."""

import contextlib
import faulthandler
import os
import sys
import threading
import time

from . import (
    autograd,
    captures,
    cells,
    compiled,
    ending,
    exceptions,
    ranks,
    unrecorded,
    verification,
)
from .announced import AnnouncedAttribute, announce_calls

# What `torch.cuda.graph` calls first to end a capture, and whether the capture is over then: since PyTorch 2.14, the
# second and the third take the place of the first.
CAPTURE_ENDS = {"capture_end": True, "capture_end_pre": False, "capture_end_post": True}

# How long autograd's threads get to release what they hold, in seconds.
AUTOGRAD_GRACE = 0.02


# What ends the process, or only says where it stands.
ENDS = {os._exit, os.abort, faulthandler.dump_traceback}


def listen_to_threads(recorder):
    """Gives the recorder the name of each Python thread, in that thread, and tells of timers that free no other one."""

    def begins(thread):
        recorder.name_thread(thread.name)
        if isinstance(thread, threading.Timer) and thread.function in ENDS:
            recorder.event({"event": "ending_timer"})

    this = threading._active.get(threading.get_ident())  # Not one that is made for asking.
    if this is not None:
        recorder.name_thread(this.name)
    announce_calls(threading.Thread, "_set_native_id", begins)


# The process and what was told of its rank, once something was; a forked child inherits what its parent told.
_told = None


def tell_rank(recorder):
    """Tells the recorder which rank of a distributed job this is, if that is news."""
    global _told
    with contextlib.suppress(Exception):
        rank = ranks.describe()
        if rank is not None and _told != (os.getpid(), rank):
            _told = (os.getpid(), rank)
            recorder.event(rank)


def living_graphs():
    """The graphs whose Python objects are alive, with what leads to them."""
    with contextlib.suppress(Exception):
        if _listener is not None and _listener.watch is not None:
            return _listener.watch.living()
    return []


def compare(graph, alike):
    """What the region of a graph would do now, beside what the graph does: what a child answered, or why that is not known."""
    from .replays import watch

    if _listener is None or _listener.watch is None:
        return watch.UNKNOWN
    return _listener.watch.compare(graph, alike)


# What reports exceptions, once something that captures is imported.
_listener = None


def listen_to_captures(extension, recorder):
    """Reports the exceptions that end captures, threads or the program; `extension` is `torch._C`."""
    listener = listen_to_exceptions(recorder)
    graph = getattr(extension, "_CUDAGraph", None)
    if isinstance(graph, type):
        announce_calls(graph, "capture_begin", listener.capture_begins)
        for name, is_over in CAPTURE_ENDS.items():
            afterwards = listener.capture_is_over if is_over else None
            announce_calls(graph, name, listener.capture_ends, afterwards)


def listen_to_exceptions(recorder):
    """Reports the exceptions that end threads or the program. Returns what does."""
    global _listener
    if _listener is None:
        _listener = Listener(recorder)
        # What a thread looks up when an exception has left its `run`.
        name = "_invoke_excepthook"
        if not hasattr(threading.Thread, name):
            setattr(threading.Thread, name, AnnouncedAttribute(name, _listener.thread_fails))
        ending.at_end(_listener.program_ends)
    return _listener


def let_autograd_finish():
    """Gives autograd's threads a moment without the GIL, before the interpreter is torn down.

    A thread that still holds Python objects of the last backward pass then ends the process with
    `terminate called without an active exception`. A pass on a GPU takes long enough that its
    thread is done when the program ends; on the virtual one it takes next to nothing.
    """
    for task in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError), open(f"/proc/self/task/{task}/comm") as name:
            if name.read().startswith("pt_autograd"):
                time.sleep(AUTOGRAD_GRACE)
                return


class Listener:
    """Reports exceptions, and the autograd graph that one came from."""

    def __init__(self, recorder):
        self._recorder = recorder
        # Tells of graphs and their replays, from the first capture on: until then, none of it is loaded.
        self.watch = None
        self._thread = threading.local()
        # The exception whose autograd graph was reported last. Only its identity: to keep it would
        # be to keep its frames.
        self._reported = None

    def capture_begins(self, graph):
        """Notes which exception is being handled already: it does not end the capture."""
        self._thread.handled_before = id(sys.exc_info()[1])
        self._recorder.announce_capture()
        tell_rank(self._recorder)
        cells.tell(self._recorder)
        if not self._recorder.is_virtual:
            self._recorder.event(captures.describe())
        if unrecorded.running:
            return
        verification.capture_begins()
        compiled.listen_to_recordings(self._recorder)
        with contextlib.suppress(Exception):
            compiled.follow_outputs(self._recorder)
        with contextlib.suppress(Exception):
            self._watch_graphs(type(graph)).capture_begins()

    def capture_ends(self, _graph):
        """Reports the exception in flight, if one is."""
        with contextlib.suppress(Exception):
            values = sys.modules.get(f"{__package__}.values")
            if values is not None:
                values.capture_ends()
        if self.watch is not None:
            with contextlib.suppress(Exception):
                self.watch.capture_ends()
        exception = sys.exc_info()[1]
        before = getattr(self._thread, "handled_before", None)
        if exception is not None and id(exception) != before:
            self._report(exception, uncaught=False)
            for earlier in exceptions.before(exception, before):
                self._recorder.event(exceptions.describe(earlier, uncaught=False, printed=False))

    def capture_is_over(self, graph):
        """Tells of the graph, if its capture went well."""
        if unrecorded.running:
            return
        with contextlib.suppress(Exception):
            verification.capture_ended(self.watch.capture_ended(graph))

    def _watch_graphs(self, graph_class):
        if self.watch is None:
            from .replays import watch

            self.watch = watch.Watch(self._recorder, graph_class)
        return self.watch

    def thread_fails(self, _thread):
        """Reports the exception that ends a thread."""
        exception = sys.exc_info()[1]
        if exception is not None and not isinstance(exception, SystemExit):
            self._report(exception, uncaught=True)

    def program_ends(self):
        """Reports the exception that ended the program, if one did."""
        cells.tell(self._recorder)
        with contextlib.suppress(Exception):
            if "torch.distributed" in sys.modules:
                from . import groups

                groups.program_ends()
        with contextlib.suppress(Exception):
            if self.watch is not None:
                self.watch.program_ends()
        verification.program_ends(self.watch)
        with contextlib.suppress(Exception):
            exception = getattr(sys, "last_exc", None) or getattr(sys, "last_value", None)
            if isinstance(exception, BaseException):
                self._report(exception, uncaught=True, printed=True)
            if self._recorder.is_virtual:
                let_autograd_finish()

    def _report(self, exception, uncaught, printed=False):
        tell_rank(self._recorder)
        cells.tell(self._recorder)
        self._recorder.event(exceptions.describe(exception, uncaught, printed))
        if self._reported == id(exception):
            return
        self._reported = id(exception)
        graph = autograd.describe(exception)
        if graph is not None:
            self._recorder.event(graph)
