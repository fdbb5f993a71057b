"""`--verify`: calls of graphed callables are compared with eager runs, at the replays 1, 2, 3, 4, 8, 16, …

Of other graphs, the twin compares what the captured region does (`twin`); here it is kept which they are.
"""

import contextlib
import functools
import importlib
import os
import sys
import threading

from . import exceptions, unrecorded
from .own_frames import Hidden, hidden
from .replays.samples import is_sample

_verification = None


def verify_graphed_callables(recorder):
    """Has what `make_graphed_callables` returns compare some of its calls. To be called before the program can ask for it."""
    global _verification
    module = sys.modules.get("torch.cuda.graphs")
    original = getattr(module, "make_graphed_callables", None)
    if original is None or _verification is not None:
        return
    _verification = Verification(recorder)

    @functools.wraps(original)
    def make_graphed_callables(callables, sample_args, *arguments, **keywords):
        with Hidden(_library_folder()):
            return _verification.make(original, callables, sample_args, *arguments, **keywords)

    for owner in (module, sys.modules.get("torch.cuda")):
        if getattr(owner, "make_graphed_callables", None) is original:
            owner.make_graphed_callables = make_graphed_callables


def capture_begins():
    """Notes a capture that is not one of a graphed callable, if there is a verification."""
    if _verification is not None:
        with contextlib.suppress(Exception):
            _verification.capture_begins()


def capture_ended(number):
    """Notes that it went well, and the number of its graph; None if that is not looked after."""
    if _verification is not None:
        _verification.capture_ended(number)


def program_ends(watch):
    """Tells what was compared. `watch` has looked at the replays, if there were captures."""
    if _verification is not None:
        with contextlib.suppress(Exception):
            _verification.tell(watch)


class Verification:
    """The graphed callables of a process, and its other graphs."""

    def __init__(self, recorder):
        self._recorder = recorder
        self._making = 0
        self._graphed = []
        # By thread, where its capture began that is none of a callable's.
        self._begun = {}
        # By number, where graphs were captured.
        self._captured = {}
        # Where others were that have no number.
        self._others = []

    def make(self, make, callables, sample_args, *arguments, **keywords):
        library = importlib.import_module("cgsan.graphed")
        is_one = not isinstance(callables, tuple)
        functions = (callables,) if is_one else callables
        originals = tuple(library.Original(it, records=not _is_compiled(it)) for it in functions)
        given = tuple(it.module or it for it in originals)
        with self._recorded_while_captured(originals):
            made = make(given[0] if is_one else given, sample_args, *arguments, **keywords)
        stack = exceptions.stack(sys._getframe(2))
        results = (made,) if is_one else made
        placed = tuple(map(functools.partial(self._place, library, stack), originals, results))
        return placed[0] if is_one else placed

    @contextlib.contextmanager
    def _recorded_while_captured(self, originals):
        """Has the modules called through what records their operators; PyTorch puts its own `forward` there if all goes well."""
        modules = [it.module for it in originals if it.module]
        own = [vars(it).get("forward") for it in modules]
        for it in originals:
            if it.module:
                it.module.forward = it
        self._making += 1
        try:
            yield
        except BaseException:
            for module, forward in zip(modules, own, strict=True):
                vars(module).pop("forward", None)
                if forward is not None:
                    module.forward = forward
            raise
        finally:
            self._making -= 1

    def _place(self, library, stack, original, made):
        replayed = made.forward if original.module else made
        graphed = library.Graphed(
            original, replayed, is_sample, unrecorded.operators_and_captures, stack
        )
        self._graphed.append(graphed)
        if not original.module:
            return hidden(graphed, _library_folder())
        made.forward = hidden(graphed, _library_folder())
        return made

    def capture_begins(self):
        thread = threading.get_ident()
        self._begun.pop(thread, None)  # That of a capture that failed.
        if not self._making:
            self._begun[thread] = exceptions.stack(sys._getframe(2))

    def capture_ended(self, number):
        stack = self._begun.pop(threading.get_ident(), None)
        if stack is None:
            return
        if number is None:
            self._others.append(stack)
        else:
            self._captured[number] = stack

    def tell(self, watch):
        """Tells the recorder what was compared, when the program ends."""
        callables = [
            {
                "name": it.original.name,
                "calls": it.compared,
                "differs": it.differs,
                "message": it.message,
                "stack": it.stack,
            }
            for it in self._graphed
        ]
        graphs = []
        for number, stack in self._captured.items():
            replays, reason = watch.compared(number)
            graphs.append({"graph": number, "replays": replays, "reason": reason, "stack": stack})
        self._recorder.event(
            {
                "event": "verification",
                "callables": callables,
                "others": len(self._others),
                "stack": self._others[0] if self._others else [],
                "graphs": graphs,
            }
        )


def _library_folder():
    """The folder of the package that compares."""
    return os.path.join(os.path.dirname(importlib.import_module("cgsan").__file__), "")


def _is_compiled(function):
    """Whether `torch.compile` made it, which leaves functions uncompiled while operators are recorded."""
    return hasattr(function, "_torchdynamo_orig_callable") or hasattr(function, "_orig_mod")
