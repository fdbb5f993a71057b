"""The children that run a region: each is a copy of the process that can do nothing to the world, and ends by itself."""

import contextlib
import ctypes
import fcntl
import marshal
import os
import time

# Memory that a child may take beside what it begins with, in bytes; and time, in seconds: of a processor, and in all on a busy
# machine.
MEMORY = 2 << 30
PROCESSOR, SECONDS = 5, 20
# Bytes of an answer that are read, and those that fit into the pipe: a longer one is waited for.
ANSWER = 64 << 20
PIPE = 1 << 20
# The descriptor of the pipe in a child.
REPORT = 3
# Called without letting go of the GIL: no other thread would give it back in a child.
_library = ctypes.PyDLL(None)
# How a child has ended, as the recorder numbers it: it would have waited for another thread, its time was up, it did what it must not
# do.
WAITING, TOO_LONG, FORBIDDEN = 2, 3, 4
# What is told of that, and of one that has ended otherwise.
REASONS = {
    WAITING: "its code waits for another thread",
    TOO_LONG: "its code took too long in a copy of the process",
    FORBIDDEN: "its code does what a copy of the process must not do, such as opening a file",
}
NO_ANSWER = "a copy of the process that ran its code ended without an answer"
# Looks at a child that has not ended, in seconds apart.
PAUSE = 0.002


class Child:
    """One child, from its beginning to its answer."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._deadline = time.monotonic() + SECONDS
        self._pid = None
        self._pipe = None
        self._read = []
        self._ended = None

    def run(self, work):
        """Begins it, and has it answer with what `work` returns. The answer is None where that raises or it is ended."""
        self._pipe, write = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            os.set_blocking(write, True)
            with contextlib.suppress(OSError):
                fcntl.fcntl(write, fcntl.F_SETPIPE_SZ, PIPE)
            # Another thread that asks for the GIL gets it now: in the child, nobody would take it.
            time.sleep(0)
            pid = self._recorder.sealed_clone(write, MEMORY, PROCESSOR)
            if pid == 0:
                _answer(work)
            if pid > 0:
                self._pid = pid
                self._recorder.sealed_watch(pid, SECONDS)
        finally:
            os.close(write)

    def has_ended(self):
        """Whether it is over; one whose time is up is ended."""
        if self._pid is None:
            return True
        self._drain()
        ended = self._recorder.sealed_end(self._pid, time.monotonic() > self._deadline)
        if ended:
            self._pid = None
            self._ended = ended
            self._drain()
        return self._pid is None

    def was_lost(self):
        """Whether its time was up before it was over, or it would have waited for a thread that it does not have."""
        return self._ended in (WAITING, TOO_LONG)

    def why_none(self):
        """Why it has no answer."""
        return REASONS.get(self._ended, NO_ANSWER)

    def wait(self, longest=SECONDS):
        """Waits until it is over, or for so many seconds. Whether it is."""
        until = time.monotonic() + longest
        while not self.has_ended():
            if time.monotonic() > until:
                return False
            time.sleep(PAUSE)
        return True

    def answer(self):
        """What it answered, once it is over; None if it could not."""
        self.wait(2 * SECONDS)
        self._close()
        try:
            return marshal.loads(b"".join(self._read))
        except (ValueError, EOFError, TypeError):
            return None

    def drop(self):
        """Ends it without an answer."""
        self._deadline = 0
        self.wait(2 * SECONDS)
        self._close()

    def _drain(self):
        """Reads what there is of the answer: a child waits while its pipe is full."""
        with contextlib.suppress(BlockingIOError):
            while part := os.read(self._pipe, PIPE):
                self._read.append(part)
                if sum(map(len, self._read)) > ANSWER:
                    self._deadline = 0
                    return

    def _close(self):
        if self._pipe is not None:
            os.close(self._pipe)
            self._pipe = None


def _answer(work):
    """In the child: answers, and ends it. Nothing of the program runs afterwards."""
    with contextlib.suppress(BaseException):
        rest = marshal.dumps(work())
        while rest and (written := _library.write(REPORT, rest, ctypes.c_size_t(len(rest)))) > 0:
            rest = rest[written:]
    _library._exit(0)
