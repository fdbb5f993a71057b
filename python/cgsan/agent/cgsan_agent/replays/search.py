"""A bounded walk through what the program's names lead to, nearest first."""

import sys
import types
import weakref
from collections import deque

from . import frames, optimizers, paths

# Values looked at in one walk: a few milliseconds.
VALUES = 5_000
# Entries looked at of one container.
ENTRIES = 256
# Entries of a container that counts as small.
SMALL = 16
# Steps from a name. Those from a module of PyTorch to a part of it do not count.
DEPTH = 3

# What objects of Python's own library are worth a look at.
_FROM_LIBRARY = (
    "argparse.Namespace",
    "queue.LifoQueue",
    "queue.PriorityQueue",
    "queue.Queue",
    "_thread._local",
    "types.SimpleNamespace",
)
_PLAIN = frozenset((int, float, bool, str, bytes, type(None), complex))
_CONTAINERS = (dict, list, tuple, deque)


_alive = weakref.WeakSet()


def is_of_search(container):
    """Whether it is a copy of a frame's variables, in which nothing of the program's holds anything."""
    return any(root.variables is container for root in list(_alive))


class Root:
    """Where a walk begins: the variables of a frame, or those of a module."""

    def __init__(self, variables, frame=None, module=None):
        self.variables = variables
        _alive.add(self)
        # To find it again: the frame's identity and code, or the module's name.
        self.frame = (id(frame), frame.f_code) if frame is not None else None
        self.module = module
        self.file = frame.f_code.co_filename if frame is not None else None


class Visited:
    """An object that the walk has come to, with the way to it."""

    __slots__ = ("before", "depth", "path", "root", "value")

    def __init__(self, root, before, path, value, depth):
        self.root = root
        self.before = before
        self.path = path
        self.value = value
        self.depth = depth


def roots(stack, only_own=False):
    """The variables of the frames in `stack`, then those of their modules; without installed packages' if `only_own`."""
    found = []
    seen = set()
    own = [frame for frame in stack if frames.origin(frame.f_code.co_filename) == frames.OWN]
    for frame in own if only_own else stack:
        if frames.is_function(frame):
            found.append(Root(frames.variables(frame), frame=frame))
    for frame in own:
        variables = frame.f_globals
        if id(variables) not in seen:
            seen.add(id(variables))
            module = paths.module_of(variables)
            found.append(Root(variables, frame=None if module else frame, module=module))
    return found


def of_main():
    """The variables of the main module, for when all functions have returned."""
    return [Root(vars(sys.modules["__main__"]), module="__main__")]


def walk(beginnings, only_own=False, values=VALUES, deeper=0):
    """Goes through what can be reached from `beginnings`: triples of what was left, the step, and the value found.

    A value that is reached in several ways is gone into once, and given for each of them. Small containers in other ones are gone into
    `deeper` by so many steps.
    """
    queue = deque()
    gone_into = set()
    worth = {}
    left = values
    for root in beginnings:
        gone_into.add(id(root.variables))
    for root in beginnings:
        start = Visited(root, None, None, root.variables, 0)
        for name, value in list(root.variables.items()):
            if type(name) is not str or name.startswith("__"):
                continue
            left -= 1
            if left < 0:
                return
            yield start, (paths.NAME, name), value
            _enqueue(queue, gone_into, worth, only_own, start, (paths.NAME, name), value, deeper)
    while queue:
        visited = queue.popleft()
        for kind, key, value in paths.steps_from(visited.value, ENTRIES):
            left -= 1
            if left < 0:
                return
            step = (kind, key)
            yield visited, step, value
            _enqueue(queue, gone_into, worth, only_own, visited, step, value, deeper)


def path_to(visited, step):
    """The path of what lies one step from `visited`."""
    return (visited.path, *step)


def aliases(visited, ways):
    """The other ways to where the walk has been, by other attributes or variables that lead to an object on the way.

    `ways` has, by the identity of an object, all that the walk has found: pairs of what was left, and the step.
    """
    below = []
    while visited.before is not None and visited.before.before is not None:
        if visited.path[1] != paths.ATTRIBUTE:
            return
        for before, step in ways.get(id(visited.value), ()):
            if before is not visited.before and not _leads_through(before, visited.value):
                way = _next(before, step, visited.value)
                for it in below:
                    way = _next(way, it.path[1:], it.value)
                yield way
        below.insert(0, visited)
        visited = visited.before


def _next(before, step, value):
    return Visited(before.root, before, path_to(before, step), value, before.depth + 1)


def _leads_through(visited, value):
    while visited is not None:
        if visited.value is value:
            return True
        visited = visited.before
    return False


def _enqueue(queue, gone_into, worth, only_own, before, step, value, deeper):
    kind = type(value)
    if kind in _PLAIN or id(value) in gone_into:
        return
    depth = before.depth + 1
    if id(kind) not in worth:
        worth[id(kind)] = _is_worth(kind, only_own)
    how = worth[id(kind)]
    is_inside = how == "container" and step[0] == paths.ITEM and _is_small(value)
    deepest = DEPTH + deeper if is_inside else DEPTH
    if not how or (depth > deepest and how != "module"):
        return
    if kind is types.FunctionType and not (_has_more(value) and _is_own_function(value)):
        return
    if (kind is types.ModuleType or issubclass(kind, type)) and not _is_own_object(value, kind):
        return
    if how == "module" and step[0] == paths.ATTRIBUTE and before.depth:
        depth = before.depth
    gone_into.add(id(value))
    queue.append(Visited(before.root, before, path_to(before, step), value, depth))


def _is_small(container):
    base = next(base for base in _CONTAINERS if issubclass(type(container), base))
    return base.__len__(container) <= SMALL


def _is_worth(kind, only_own):
    """Whether to go into objects of this class; `module` for those of PyTorch's modules."""
    if issubclass(kind, _CONTAINERS):
        return "container"
    if kind is types.FunctionType or kind is types.ModuleType or issubclass(kind, type):
        return "code"
    torch = sys.modules.get("torch")
    if torch is None or issubclass(kind, torch.Tensor):
        return None
    module = kind.__module__
    if type(module) is not str:
        return None
    if frames.is_own_module(module):
        return "module" if issubclass(kind, torch.nn.Module) else "object"
    if f"{module}.{kind.__qualname__}" in _FROM_LIBRARY:
        return "object"
    if only_own:
        return None
    if issubclass(kind, torch.nn.Module):
        return "module"
    package = module.partition(".")[0]
    if package == "torch":
        return "object" if optimizers.is_optimizer(kind) else None
    return None if package in sys.stdlib_module_names or package == "cgsan_agent" else "object"


def has_own_attributes(kind):
    """Whether objects of this class, modules of PyTorch among them, are the program's own and have attributes of its own."""
    return _is_worth(kind, only_own=True) in ("module", "object")


def is_own_object(kind):
    """Whether objects of this class are the program's own, and neither tensors nor modules of PyTorch."""
    return _is_worth(kind, only_own=True) == "object"


def _has_more(function):
    """Whether a function leads to anything: variables of the one around it, or attributes."""
    return bool(function.__closure__ or function.__dict__)


def _is_own_function(function):
    return frames.origin(function.__code__.co_filename) == frames.OWN


def _is_own_object(value, kind):
    """Whether a module or a class is the program's."""
    if kind is types.ModuleType:
        name = vars(value).get("__name__")
        return type(name) is str and sys.modules.get(name) is value and frames.is_own_module(name)
    module = type.__dict__["__dict__"].__get__(value).get("__module__")
    return type(module) is str and frames.is_own_module(module)
