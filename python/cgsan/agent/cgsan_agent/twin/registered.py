"""Where hooks of modules and tensors were registered, by their numbers."""

import sys

from ..announced import announce_calls
from ..replays import frames

# Hooks kept.
HOOKS = 4_096

_places = {}


def listen():
    """Has each hook noted that is registered from now on."""
    handles = sys.modules.get("torch.utils.hooks")
    if handles is not None:
        announce_calls(handles.RemovableHandle, "__init__", _registers)


def place(number):
    """The frame that registered a hook, as it is told; None if that is not known."""
    return _places.get(number)


def _registers(handle):
    # Its number is given to it by the call that is about to happen.
    number = type(handle).next_id
    frame = sys._getframe(1)
    while frame is not None and frames.origin(frame.f_code.co_filename) == frames.FOREIGN:
        frame = frame.f_back
    if frame is not None:
        while len(_places) >= HOOKS:
            del _places[next(iter(_places))]
        code = frame.f_code
        place = {"file": code.co_filename, "function": code.co_name, "line": frame.f_lineno}
        _places[number] = place
