"""What operators leave, told by what it is made from: work in another order, or through a copy, leaves the same."""

import collections
import math

from . import compare

# Operators whose result, or first tensor, holds what they are given, as long as they change neither its type nor its sizes.
CLONE, COPY = "aten.clone.", "aten.copy_."
# Operators whose results hold nothing yet.
EMPTY = ("aten.empty", "aten.new_empty")


def leave_the_same(one, other):
    """Whether the operators of two regions leave the same."""
    return _Flow(one).left() == _Flow(other).left()


class _Flow:
    """Follows what tensors hold through operators. What a storage holds has a version, which is a number that stands for all that it was
    made from."""

    def __init__(self, operators):
        # By where it begins, or by the operator that made it: the version of a storage.
        self._versions = {}
        # By storage, what parts of it hold that were copied as they are.
        self._copied = collections.defaultdict(dict)
        # Storages of which nobody has read the newest version, and those from before that are filled before they are read.
        self._unread, self._filled = {}, set()
        self._written, self._met = set(), set()
        for number, (name, parts, _) in enumerate(operators):
            self._run(-1 - number, name, parts)

    def left(self):
        """What nobody read that was made, as often as it was, and what tensors from before hold that were written. What is filled there to be
        read here is on its way to something else."""
        unread = collections.Counter(
            version for origin, version in self._unread.items() if origin < 0
        )
        written = {
            origin: self._versions[origin]
            for origin in self._written
            if origin not in self._filled or origin in self._unread
        }
        return unread, written

    def _run(self, result, name, parts):
        tensors = [it for it in parts if compare.is_tensor(it)]
        changed = [it for it in tensors if it[4]]
        given = [it for it in tensors if not (it[4] and compare.overwrites(name))]
        held = [self._held(it) for it in given]
        for it in given:
            self._unread.pop(it[0], None)
        made = hash((name, tuple(map(_form, parts)), tuple(held)))
        for place, it in enumerate(changed):
            origin = it[0]
            if origin >= 0:
                self._written.add(origin)
                if origin not in self._met and it not in given:
                    self._filled.add(origin)
            self._set(origin, hash((self._version(origin), made, place, it[1], it[2])))
        self._met.update(it[0] for it in tensors)
        if name.startswith(EMPTY):
            self._versions[result] = made
        elif not changed:
            self._set(result, made)
        if len(given) == 1 and name.startswith((CLONE, COPY)):
            target = changed[0] if changed else (result, 0, *given[0][2:])
            if _form(target) == _form(given[0]):
                self._copied[target[0]][_part(target)] = held[0]

    def _version(self, origin):
        return self._versions.get(origin, origin)

    def _set(self, origin, version):
        self._versions[origin] = version
        self._unread[origin] = version
        self._copied.pop(origin, None)

    def _held(self, tensor):
        """What a tensor holds."""
        part = _part(tensor)
        return self._copied[tensor[0]].get(part) or (self._version(tensor[0]), *part)


def _form(part):
    """What an operator is given, of a tensor its sizes and its type."""
    return part[2:4] if compare.is_tensor(part) else part


def _part(tensor):
    """Which part of its storage a tensor is: where it begins there, and how many elements it has."""
    return tensor[1], math.prod(tensor[2])
