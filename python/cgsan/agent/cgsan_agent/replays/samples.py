"""Which replays are looked at, and what says that one of them is about to happen."""

import contextlib
import ctypes
import sys
import threading

# The replays of a graph that are looked at: these, and after them each that is twice the last. The recorder asks for more of the
# first ones.
FIRST = 4
# The share of a run's time that looks at those may take, and seconds that they may take anyway; on a real GPU somebody may measure it.
VIRTUAL, REAL = (0.2, 3.0), (0.001, 0.05)
# Replays that the descriptor sees without a sample before it goes: it costs a fifth of a microsecond each.
IDLE = 64


def is_sample(number):
    """Whether the replay with this number, counted from 1, is looked at."""
    return 0 < number <= FIRST or (number > FIRST and number & (number - 1) == 0)


class Calls:
    """Asks the recorder to call back at the replays to look at: it counts them where they pass it anyway."""

    def __init__(self, recorder, look):
        self._look = look
        # The recorder keeps a pointer to it: it must live as long.
        self._callback = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)(self._replays)
        self.are_made = recorder.call_at_replays(self._callback)

    def _replays(self, _executable, number):
        try:
            graph = _replayed()
            if graph is not None:
                self._look(graph, number)
        except Exception:
            return
        except BaseException as exception:
            # A signal's handler of the program has raised, and ctypes would print it: raised anew, in the program.
            thread = ctypes.c_ulong(threading.get_ident())
            ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(type(exception)))


def _replayed():
    """The graph of the method `replay` that is nearest on the stack."""
    frame = sys._getframe(1)
    for _ in range(8):
        if frame is None:
            return None
        if frame.f_code.co_name == "replay" and frame.f_code.co_argcount:
            from .. import autograd

            return autograd.local_variables(frame).get(frame.f_code.co_varnames[0])
        frame = frame.f_back
    return None


class CountedMethod:
    """A method that counts its calls and says when one is to be looked at, where the recorder does not.

    It takes its own place only while a graph is young, and gives it back to the original: a replay is short.
    """

    def __init__(self, owner, name, look):
        self._owner = owner
        self._name = name
        self._look = look
        self._original = vars(owner)[name]
        self._idle = 0

    def __get__(self, instance, owner=None):
        if instance is not None:
            with contextlib.suppress(Exception):
                self._count(instance)
        return self._original.__get__(instance, owner)

    def begin(self):
        """Counts from now on: a graph has been captured."""
        self._idle = 0
        if vars(self._owner).get(self._name) is self._original:
            setattr(self._owner, self._name, self)

    def end(self):
        """Gives the place back."""
        if vars(self._owner).get(self._name) is self:
            setattr(self._owner, self._name, self._original)

    def _count(self, instance):
        if self._look(instance, None):
            self._idle = 0
            return
        self._idle += 1
        if self._idle >= IDLE:
            self.end()
