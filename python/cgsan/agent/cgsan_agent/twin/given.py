"""Plain values that calls were given in containers, such as `**kwargs`, which the region comes upon elsewhere.

A region that uses a container which a call was given is given, in the child, what a call of the same function is given there now:
the graph keeps the values of the call that captured it.
"""

from ..replays import frames, paths, search
from . import callers, names

# Values kept of one capture, entries looked at of one container, and how deep containers may lie in one another.
VALUES = 128
ENTRIES = 64
DEPTH = 3
_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None)))


class _Value:
    """A plain value in a container: its key, and where callers have it, the nearest first."""

    def __init__(self, container, key, value, code, place, given):
        # By which the container is found again in a child of this moment.
        self.container = id(container)
        self.key = key
        self.value = value
        self.where = code, place
        self.given = given


class Given:
    """What the function of a region and its callers were given, as a capture begins."""

    def __init__(self, frame):
        self._values = []
        for _ in range(callers.DEPTH):
            if frame is None or frames.origin(frame.f_code.co_filename) == frames.FOREIGN:
                break
            if frames.is_function(frame):
                self._add(frame)
            frame = frame.f_back

    def _add(self, frame):
        code, variables = frame.f_code, frames.variables(frame)
        found = {}
        for name in callers.parameters(code):
            value = variables.get(name)
            if _is_container(value) and callers.is_given(code, name):
                _plain(found, value, (name, ()), VALUES - len(self._values))
        passed = callers.of_places(frame, found)
        caller = callers.Caller(frame)
        for place, (container, value) in found.items():
            given = [(caller, place), *passed.get(place, ())]
            self._values.append(_Value(container, place[1][-1], value, code, place, given))

    def found(self, source, variables):
        """In a child, as the capture begins: of those values that the region comes upon, their numbers, and the ways to their
        containers."""
        wanted = {}
        for number, it in enumerate(self._values):
            wanted.setdefault(it.container, []).append(number)
        if not wanted:
            return []
        roots = [search.Root(names.of_region_and_module(source, variables))]
        return [
            (number, search.path_to(visited, step))
            for visited, step, value in search.walk(roots, only_own=True)
            if id(value) in wanted and _is_container(value)
            for number in wanted[id(value)]
        ]

    def now(self, others):
        """Those that are others now, by their numbers. Where graphs of one place were captured with several, each has its own."""
        theirs = [{it.where: it.value for it in other._values} for other in others]
        found = {}
        now = callers.Now()
        for number, it in enumerate(self._values):
            value = now.value(it.given)
            is_own = any(values.get(it.where, it.value) != it.value for values in theirs)
            if type(value) in _PLAIN and value != it.value and not is_own:
                found[number] = value
        return found

    def put(self, found, now, source, variables):
        """In a child: has the region come upon the values of now, where it still comes upon those of the capture. What the callers
        call each, by the expression that leads the region to it."""
        called = {}
        for number, way in found:
            it = self._values[number]
            if number in now and _replace(way, it.key, it.value, now[number], source, variables):
                _, (name, keys) = it.where
                keys = "".join(f"[{key!r}]" for key in keys)
                called[paths.text((way, paths.ITEM, it.key))] = f"{name}{keys}"
        return called


def _is_container(value):
    return type(value) in (dict, list, tuple) and 0 < len(value) <= ENTRIES


def _plain(found, container, place, most):
    """Adds the plain values in a container, each by its place."""
    name, keys = place
    for _, key, value in paths.steps_from(container, ENTRIES):
        if len(found) >= most:
            return
        if type(value) in _PLAIN:
            found[name, (*keys, key)] = container, value
        elif _is_container(value) and len(keys) < DEPTH:
            _plain(found, value, (name, (*keys, key)), most)


def _replace(way, key, before, value, source, variables):
    """Puts a value into the container at the end of a way from the variables, if that still has the one before. Whether it has."""
    ahead = paths.steps(way)[::-1]
    values = [names.of_region_and_module(source, variables)]
    for kind, step in ahead:
        inner = values[-1].get(step) if kind == paths.NAME else paths.follow(values[-1], kind, step)
        values.append(inner)
    container = values[-1]
    if not _is_container(container) or callers.inside(container, (key,)) != before:
        return False
    if type(container) is not tuple:
        container[key] = value
        return True
    made = (*container[:key], value, *container[key + 1 :])
    kind, step = ahead[-1]
    owner = variables if kind == paths.NAME else values[-2]
    if kind == paths.ATTRIBUTE:
        object.__setattr__(owner, step, made)
    elif type(owner) in (dict, list):
        owner[step] = made
    return True
