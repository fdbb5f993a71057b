"""Messages that the host sends or receives while a thread captures: no replay does it again.

Those of process groups are operators, which the recorder sees by itself.
"""

import sys
import threading

from .. import exceptions
from ..announced import AnnouncedMethod

# The classes whose methods carry messages between processes.
CLASSES = {
    ("multiprocessing.connection", "_ConnectionBase"): (
        "recv",
        "recv_bytes",
        "recv_bytes_into",
        "send",
        "send_bytes",
    ),
    ("multiprocessing.queues", "Queue"): ("get", "put"),
    ("multiprocessing.queues", "SimpleQueue"): ("get", "put"),
    ("socket", "socket"): (
        "recv",
        "recv_into",
        "recvfrom",
        "recvfrom_into",
        "recvmsg",
        "send",
        "sendall",
        "sendmsg",
        "sendto",
    ),
}


class Messages:
    """Looks at those methods while something captures, and only then."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._lock = threading.Lock()
        # The threads that capture, with whether a message of theirs was told of: the first says what is to be said.
        self._told = {}
        # What was put into classes, with what was there before; None where that was inherited.
        self._placed = []

    def capture_begins(self):
        with self._lock:
            self._told[threading.get_ident()] = False
            if not self._placed:
                self._place()

    def capture_ends(self):
        with self._lock:
            self._told.pop(threading.get_ident(), None)
            if not self._told:
                self._take_back()

    def _place(self):
        for (module, name), methods in CLASSES.items():
            owner = getattr(sys.modules.get(module), name, None)
            for method in methods if isinstance(owner, type) else ():
                own, found = vars(owner).get(method), getattr(owner, method, None)
                if found is not None and not isinstance(own, AnnouncedMethod):
                    call = f"{name.lstrip('_').replace('Base', '')}.{method}"
                    announced = AnnouncedMethod(own or found, self._announce(call))
                    setattr(owner, method, announced)
                    self._placed.append((owner, method, own, announced))

    def _take_back(self):
        for owner, method, own, announced in self._placed:
            # The program may have put something else there.
            if vars(owner).get(method) is announced:
                if own is None:
                    delattr(owner, method)
                else:
                    setattr(owner, method, own)
        self._placed.clear()

    def _announce(self, call):
        def announce(_instance):
            thread = threading.get_ident()
            if self._told.get(thread, True):
                return
            self._told[thread] = True
            stack = exceptions.stack(sys._getframe(1))
            self._recorder.event({"event": "host_message", "call": call, "stack": stack})

        return announce
