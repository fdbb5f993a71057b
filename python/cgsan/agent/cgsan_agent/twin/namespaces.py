"""Where the variables of modules are found again, without being kept.

To keep them would keep the program's graphs until the interpreter has cleared all other modules: what ends process groups
waits for graphs with collectives (seen on two H200s: a program that leaves its group to Python's end hung there).
"""

import sys
import types
import weakref


class Gone(Exception):
    """What was to be found again is no longer there."""


class Namespace:
    """The variables of a module, or those that `exec` was given."""

    def __init__(self, variables):
        module = sys.modules.get(variables.get("__name__"))
        is_of_module = isinstance(module, types.ModuleType) and vars(module) is variables
        self._module = weakref.ref(module) if is_of_module else None
        self._id = id(variables)
        self._name = variables.get("__name__")

    def variables(self):
        """The variables as they are now. What `exec` was given is found as long as code runs in it; else this raises `Gone`."""
        if self._module is not None:
            module = self._module()
            if module is None:
                raise Gone
            return vars(module)
        for frame in sys._current_frames().values():
            while frame is not None:
                found = frame.f_globals
                if id(found) == self._id and found.get("__name__") == self._name:
                    return found
                frame = frame.f_back
        raise Gone
