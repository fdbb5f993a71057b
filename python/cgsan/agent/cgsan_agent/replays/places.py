"""A place of the program that holds a value: found once, looked at again later."""

import sys

from . import frames, paths, weak

_CONTAINERS = (dict, list, tuple)


class Place:
    """A name, an attribute or an entry of a container.

    It holds no object of the program: only the steps from the nearest object that lets itself be
    referred to weakly, from a module, or from a frame that must be running still.
    """

    __slots__ = (
        "_frame",
        "_holders",
        "_module",
        "_path",
        "_steps",
        "file",
        "function",
        "name",
    )

    def __init__(self, visited, step, is_followed=False):
        """With `is_followed`, it is looked at from further away, so that it is noticed if one of the objects on the way is another
        one, as `active` in `server.active.weight`. What an entry of a container leads to stays what it was."""
        self._path = (visited.path, *step)
        self.name = paths.text(self._path)
        steps = [step]
        # The objects that lie on the way, the nearest first, each with the count of steps from it.
        self._holders = []
        at = visited
        while at.before is not None:
            holder = _weakly(at.value)
            if holder is not None:
                self._holders.append((holder, len(steps)))
            if self._holders and not (is_followed and at.path[1] == paths.ATTRIBUTE):
                break
            steps.append(at.path[1:])
            at = at.before
        self._steps = steps[::-1]
        self._frame = at.root.frame
        self._module = at.root.module
        code = self._frame[1] if self._frame else None
        self.file = code.co_filename if code else _file_of(self._module)
        self.function = code.co_name if code else None

    def key(self):
        """What tells it apart in a copy of the process."""
        return self.name, self._frame[0] if self._frame else 0, self._module or ""

    def value(self, scopes):
        """What lies there now, or `paths.MISSING`."""
        return self._look(scopes, 0)

    def container(self, scopes):
        """What it is an entry of, or `paths.MISSING`."""
        return self._look(scopes, 1)

    def _look(self, scopes, without):
        """What so many of the last steps do not lead on from, or `paths.MISSING`."""
        end = len(self._steps) - without
        for holder, count in reversed(self._holders):
            start = holder()
            found = paths.MISSING if start is None else _follow(start, self._steps[-count:end])
            if found is not paths.MISSING:
                return found
        return paths.MISSING if self._holders else _follow(self._start(scopes), self._steps[:end])

    def containers(self, scopes):
        """The containers that it is an entry of, at any depth."""
        found = (self._look(scopes, without) for without in range(1, len(self._steps)))
        return [it for it in found if type(it) in _CONTAINERS]

    def is_entry(self):
        """Whether it is an entry of a container."""
        return self._steps[-1][0] == paths.ITEM

    def steps(self):
        """The steps of its path, the last first."""
        return paths.steps(self._path)

    def changed_path(self):
        """The path of what is another object, where the place leads to something else: its own, or a part of that."""
        before, rest = None, 0
        for holder, count in reversed(self._holders):
            value = holder()
            if before is not None and value is not _follow(before, self._steps[-rest:-count]):
                path = self._path
                for _ in range(count):
                    path = path[0]
                return path
            before, rest = value, count
        return self._path

    def changes_itself(self):
        """Whether that is an attribute of its own."""
        return self._steps[-1][0] == paths.ATTRIBUTE and self.changed_path() is self._path

    def holder_code(self):
        """The code of the frame whose variable it is, or None."""
        is_variable = not self._holders and len(self._steps) == 1
        return self._frame[1] if self._frame and is_variable else None

    def _start(self, scopes):
        if self._module is not None:
            module = sys.modules.get(self._module)
            return paths.MISSING if module is None else vars(module)
        variables = scopes.of_frame(self._frame)
        if variables is paths.MISSING:
            return scopes.of_closure(self._frame[1], self._steps[0][1])
        return variables


def _follow(start, steps):
    for kind, key in steps:
        if start is paths.MISSING:
            break
        if kind == paths.NAME:
            start = start.get(key, paths.MISSING)
        else:
            start = paths.follow(start, kind, key)
    return start


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
        return weak.Weak(value)
    except TypeError:
        return None


def _file_of(module):
    found = sys.modules.get(module) if module else None
    file = getattr(found, "__file__", None)
    return file if type(file) is str else None
