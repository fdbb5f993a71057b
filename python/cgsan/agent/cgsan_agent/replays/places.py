"""A place of the program that holds a value: found once, looked at again later."""

import sys
import weakref

from . import frames, paths


class Place:
    """A name, an attribute or an entry of a container.

    It holds no object of the program: only the steps from the nearest object that lets itself be
    referred to weakly, from a module, or from a frame that must be running still.
    """

    __slots__ = ("_frame", "_holder", "_module", "_steps", "file", "function", "name", "step")

    def __init__(self, visited, step):
        path = (visited.path, *step)
        self.name = paths.text(path)
        self.step = step
        steps = [step]
        self._holder = None
        at = visited
        while at.before is not None:
            self._holder = _weakly(at.value)
            if self._holder is not None:
                break
            steps.append(at.path[1:])
            at = at.before
        self._steps = steps[::-1]
        self._frame = at.root.frame
        self._module = at.root.module
        code = self._frame[1] if self._frame else None
        self.file = code.co_filename if code else _file_of(self._module)
        self.function = code.co_name if code else None

    def value(self, scopes):
        """What lies there now, or `paths.MISSING`."""
        return self._follow(self._steps, scopes)

    def container(self, scopes):
        """What it is an entry of, or `paths.MISSING`."""
        return self._follow(self._steps[:-1], scopes)

    def _follow(self, steps, scopes):
        start = self._start(scopes)
        for kind, key in steps:
            if start is paths.MISSING:
                break
            if kind == paths.NAME:
                start = start.get(key, paths.MISSING)
            else:
                start = paths.follow(start, kind, key)
        return start

    def holder_code(self):
        """The code of the frame whose variable it is, or None."""
        is_variable = self._holder is None and len(self._steps) == 1
        return self._frame[1] if self._frame and is_variable else None

    def _start(self, scopes):
        if self._holder is not None:
            found = self._holder()
            return paths.MISSING if found is None else found
        if self._module is not None:
            module = sys.modules.get(self._module)
            return paths.MISSING if module is None else vars(module)
        variables = scopes.of_frame(self._frame)
        if variables is paths.MISSING:
            return scopes.of_closure(self._frame[1], self._steps[0][1])
        return variables


class Scopes:
    """The variables of the frames that run now, each read when it is first asked for."""

    def __init__(self, stack):
        self.stack = stack
        self._frames = {(id(frame), frame.f_code): frame for frame in stack}
        self._read = {}

    def of_frame(self, key):
        """The variables of that frame, or `paths.MISSING` if it has returned."""
        if key not in self._read:
            frame = self._frames.get(key)
            self._read[key] = paths.MISSING if frame is None else _variables(frame)
        return self._read[key]

    def of_closure(self, code, name):
        """The variables of a running function that was made by `code`, which has returned, and shares its variable `name`."""
        for frame in self.stack:
            inner = frame.f_code
            if name in inner.co_freevars and inner in code.co_consts:
                return self.of_frame((id(frame), inner))
        return paths.MISSING


def _variables(frame):
    return frames.variables(frame) if frames.is_function(frame) else frame.f_globals


def _weakly(value):
    try:
        return weakref.ref(value)
    except TypeError:
        return None


def _file_of(module):
    found = sys.modules.get(module) if module else None
    file = getattr(found, "__file__", None)
    return file if type(file) is str else None
