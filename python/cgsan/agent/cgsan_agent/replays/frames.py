"""The frames of the program, and which files are its own."""

import os
import sys

from .. import autograd, interpreter
from ..exceptions import AGENT

# Frames looked at of a stack: those of a framework are many, and the innermost tell most.
FRAMES = 64

_STANDARD = os.path.dirname(os.path.abspath(os.__file__)) + os.sep
_INSTALLED = (os.sep + "site-packages" + os.sep, os.sep + "dist-packages" + os.sep)

OWN, INSTALLED, FOREIGN = "own", "installed", "foreign"

_origins = {}


def origin(file):
    """Whose file it is: the program's own, one of an installed package, or Python's, PyTorch's or ours."""
    found = _origins.get(file)
    if found is None:
        found = _origins[file] = _find_origin(file)
    return found


def _find_origin(file):
    if file.startswith((AGENT, "<frozen ", _folder_of("torch"), _folder_of("cgsan"))):
        return FOREIGN
    if any(part in file for part in _INSTALLED):
        return INSTALLED
    return FOREIGN if file.startswith(_STANDARD) else OWN


def _folder_of(package):
    file = getattr(sys.modules.get(package), "__file__", None)
    return os.path.dirname(file) + os.sep if file else "<none>"


def is_own_module(name):
    """Whether the module `name` is the program's."""
    module = sys.modules.get(name)
    if module is None:
        return False
    file = getattr(module, "__file__", None)
    # The main module of `python -c` and of a notebook has none.
    return name == "__main__" if file is None else origin(file) == OWN


def of_stack():
    """The frames that run in this thread, innermost first, without those of Python, PyTorch and the agent.

    A thread of autograd has none of its own: the program waits for it in `backward()`.
    """
    found = _from(sys._getframe(1))
    if not found:
        for frame in waiting_for_autograd():
            found.extend(_from(frame))
    return found


def waiting_for_autograd():
    """The innermost frames of the threads that wait for a backward pass.

    Without the GIL, none where there are several: another's may end meanwhile, and the variables of a frame that runs
    cannot be read.
    """
    tail = os.path.join("torch", "autograd", "graph.py")
    waiting = [
        frame
        for frame in sys._current_frames().values()
        if frame.f_code.co_name == "_engine_run_backward"
        and frame.f_code.co_filename.endswith(tail)
    ]
    return waiting if len(waiting) < 2 or interpreter.has_gil() else []


def _from(frame):
    found = []
    while frame is not None and len(found) < FRAMES:
        if origin(frame.f_code.co_filename) != FOREIGN:
            found.append(frame)
        frame = frame.f_back
    return found


def of_graphed_callables():
    """The variables of `make_graphed_callables`, which is PyTorch's and holds outputs that nothing else does yet."""
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_name == "make_graphed_callables":
            return variables(frame)
        frame = frame.f_back
    return {}


def is_function(frame):
    """Whether its variables are its own, and not the globals of a module."""
    return frame.f_locals is not frame.f_globals if _is_module_level(frame) else True


def _is_module_level(frame):
    return not frame.f_code.co_flags & 0x1  # Not optimized: a module or the body of a class.


def variables(frame):
    """The local variables of a function's frame."""
    return autograd.local_variables(frame)
