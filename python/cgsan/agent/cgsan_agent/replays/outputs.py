"""Outputs of a graph of which the program keeps more and more: how many refer to each, and what holds them."""

import functools
import gc
import sys
import types
import weakref
from collections import deque

from . import arrays, frames, paths, search, shell, stores, weak

# Storages watched of a graph.
STORAGES = 64
# Entries counted of one container.
COUNTED = 100_000
# Parts looked at of one entry, such as a tuple of results, and how deep these may lie in one another.
PARTS = 16
DEPTH = 3
# Searches for what refers to a tensor, which cost a look at every object of the process: in one process.
REFERRERS = 4

_SEQUENCES = (list, tuple, deque)
_PLAIN = (int, float, bool, str, type(None))
# What `functools.lru_cache` makes, which has the results of a function and refers to them itself.
_CACHE = type(functools.lru_cache(lambda: None))


class Output:
    """A storage that a capture made and left alive, or a buffer of the program's that it copies into. It is referred to weakly, as
    are the tensors known of it."""

    def __init__(self, torch, address, tensor, is_gradient, is_buffer):
        self._torch = torch
        self.address = address
        self.is_gradient = is_gradient
        # Whether what lies at several places in it is counted apart: a buffer may hold the results of many replays.
        self.by_place = is_buffer
        self.is_buffer = is_buffer
        storage = tensor.untyped_storage()
        self._storage = storage._cdata
        weak = storage._weak_ref()
        # Not a method `__del__`: what is released while Python ends would find this module emptied.
        release = weakref.finalize(self, torch.UntypedStorage._free_weak_ref, weak)
        release.atexit = False
        self._tensors = {}
        # How many referred to it at the last samples.
        self.holders = []
        # How many entries of a container were told of last.
        self.told = 0
        self.add(tensor)

    def add(self, tensor):
        """Takes note of a tensor of this storage."""
        self._tensors.setdefault(id(tensor), weak.Weak(tensor))

    def tensors(self):
        """The tensors known of it that are still alive."""
        return [
            tensor for tensor in (known() for known in self._tensors.values()) if tensor is not None
        ]

    def count(self, around):
        """Notes how many tensors share it, and how many references there are to those that are known, and to what is around them."""
        holders = self._torch._C._storage_Use_Count(self._storage)
        holders += sum(sys.getrefcount(it) for it in around)
        for known in self._tensors.values():
            tensor = known()
            if tensor is not None:
                holders += sys.getrefcount(tensor)
        self.holders.append(holders)

    def is_growing(self):
        """Whether there were more at each of the last samples."""
        last = self.holders[-3:]
        return len(last) == 3 and last[0] < last[1] < last[2]

    def has_grown(self):
        """Whether there are more than there were at first, when a function that has returned since may have had it."""
        return self.holders[-1] > self.holders[0]


class Outputs:
    """The outputs of one graph."""

    def __init__(self, torch, tensors):
        self._torch = torch
        self._tensors = tensors
        self.found = {}

    def meet(self, address, tensor, is_gradient, is_buffer=False):
        """Takes note of a tensor whose storage the capture made."""
        known = self.found.get(address)
        if known is not None:
            known.add(tensor)
        elif len(self.found) < STORAGES:
            self.found[address] = Output(self._torch, address, tensor, is_gradient, is_buffer)

    def sample(self, beginnings, codes, around):
        """What holds several entries of one output, where their number has grown over the last samples.

        `beginnings` gives the roots of a search, `codes` the program's code. `around` has the containers in which outputs lie that a
        name leads to, by address: to keep one of these again is to keep the output again.
        """
        self._count(around)
        growing = [output for output in self.found.values() if output.is_growing()]
        return self._containers(growing, beginnings, codes)

    def at_end(self, beginnings, around):
        """The same, when the program ends."""
        self._count(around)
        grown = [output for output in self.found.values() if output.has_grown()]
        for output in grown:
            # What is there only at the end may be the parts of one result.
            output.by_place = True
        return self._containers(grown, beginnings, tuple)

    def _count(self, around):
        for address, output in self.found.items():
            output.count(around.get(address, ()))

    def _containers(self, outputs, beginnings, codes):
        sought = {output.address: output for output in outputs}
        found = {}
        if not sought:
            return []
        roots = list(beginnings())
        # Variables are no container: a name may lead to those of a module.
        seen = {id(root.variables) for root in roots}
        seen.update(map(id, shell.kept()))
        for visited, step, value in search.walk(roots):
            kind = type(value)
            if not issubclass(kind, (dict, *_SEQUENCES)) or id(value) in seen:
                continue
            seen.add(id(value))
            for address, entries in self._entries(value, sought).items():
                if entries >= 2 and entries > found.get(address, (0,))[0]:
                    path = search.path_to(visited, step)
                    found[address] = (entries, path, kind.__name__)
        for address, output in sought.items():
            if address not in found:
                self._ask_collector(output, found)
        return [
            {
                "name": path and paths.text(path),
                "type_name": kind,
                "entries": entries,
                "address": address,
                "added": path and stores.adding(path, codes()),
            }
            for address, (entries, path, kind) in found.items()
            if self._is_news(sought[address], entries)
        ]

    def gradients(self):
        """The addresses of those that are gradients."""
        return [output.address for output in self.found.values() if output.is_gradient]

    def results(self):
        """The addresses of those that the capture made and that are no gradients."""
        return {it.address for it in self.found.values() if not it.is_gradient and not it.by_place}

    def growing(self):
        """The addresses of those that there were more references to at each of the last samples."""
        return [output.address for output in self.found.values() if output.is_growing()]

    def _is_news(self, output, entries):
        if entries <= output.told:
            return False
        output.told = entries
        return True

    def _entries(self, container, sought):
        """How many entries of it are tensors of each storage, or hold one directly."""
        counts = {}
        for entry in _first_and_last(container):
            if self._of_entry(entry, sought):
                break
        else:
            return counts
        for entry in _items(container):
            for key in self._of_entry(entry, sought):
                counts[key] = counts.get(key, 0) + 1
        most = {}
        for (address, _), count in counts.items():
            most[address] = max(count, most.get(address, 0))
        return most

    def _of_entry(self, entry, sought):
        if self._is_one(entry):
            parts = (entry,)
        else:
            parts = _parts(entry)
            if not any(map(self._is_one, parts)):
                parts = self._result(entry, DEPTH)
        keys = (self._key(it, sought) for it in parts)
        return {key for key in keys if key is not None}

    def _is_one(self, entry):
        return self._tensors.is_tensor(entry) or arrays.is_array(entry)

    def _result(self, entry, depth):
        """The tensors in containers within one another, if there is nothing else in them than outputs and plain values: what holds other
        things, too, is no result."""
        found = []
        if type(entry) not in (tuple, list, dict) or not depth or len(entry) > PARTS:
            return found
        for part in _items(entry, PARTS):
            output = self.found.get(self._tensors.of_tensor(part))
            if output is not None and not output.is_buffer:
                found.append(part)
            elif type(part) not in _PLAIN:
                inner = self._result(part, depth - 1)
                if not inner:
                    return []
                found.extend(inner)
        return found

    def _key(self, value, sought):
        """What is counted as one: a storage, or one place in it and one shape."""
        tensor = arrays.tensor_of(value) if arrays.is_array(value) else value
        address = self._tensors.of_tensor(tensor)
        output = sought.get(address)
        if output is None:
            return None
        return address, _place(value) if output.by_place else None

    def _ask_collector(self, output, found):
        """Finds a container that no name in sight leads to, for the tensors that are known."""
        if _collector_asked[0] >= REFERRERS:
            return
        tensors = output.tensors()
        _collector_asked[0] += 1
        others = [tensors, *shell.kept()]
        for container in gc.get_referrers(*tensors):
            kind = type(container)
            if any(container is other for other in others):
                continue
            if not issubclass(kind, (dict, *_SEQUENCES, _CACHE)):
                continue
            if search.is_of_search(container):
                continue
            # What a module's code runs in has this entry: they are variables, and no container.
            if kind is dict and "__builtins__" in container:
                continue
            entries = self._entries(container, {output.address: output}).get(output.address, 0)
            if entries >= 2 and entries > found.get(output.address, (0,))[0]:
                name = "cache" if kind is _CACHE else kind.__name__
                found[output.address] = (entries, None, name)


def of_graphed_callables(tensors):
    """The outputs that `make_graphed_callables` has just captured, if it did, each with whether it is a gradient."""
    variables = frames.of_graphed_callables()
    # Up to PyTorch 2.8, they were called `outputs`.
    captured = variables.get("func_outputs", variables.get("outputs"))
    queue = [(captured, False), (variables.get("grad_inputs"), True)]
    for value, is_gradient in queue:
        if tensors.is_tensor(value):
            yield value, is_gradient
        elif issubclass(type(value), (dict, *_SEQUENCES)) and len(queue) < STORAGES:
            queue.extend((item, is_gradient) for item in _items(value, STORAGES))


def _place(value):
    if arrays.is_array(value):
        return arrays.address(value), tuple(value.shape)
    return value.data_ptr(), tuple(value.shape)


_collector_asked = [0]


def _items(container, limit=COUNTED):
    kind = type(container)
    if issubclass(kind, dict):
        values = dict.values(container)
    elif kind is _CACHE:
        values = gc.get_referents(container)
    else:
        base = next(base for base in _SEQUENCES if issubclass(kind, base))
        values = base.__iter__(container)
    return [value for _, value in zip(range(limit), values, strict=False)]


def _parts(entry):
    """What a tuple of results, or an object of the program that stands for one, consists of."""
    kind = type(entry)
    if issubclass(kind, (tuple, list, dict)):
        return _items(entry, PARTS)
    if kind is types.FunctionType:
        return [*(entry.__defaults__ or ()), *paths.cells(entry).values()][:PARTS]
    if kind is functools.partial:
        return [*entry.args, *entry.keywords.values()][:PARTS]
    if search.is_own_object(kind):
        return list(paths.attributes(entry).values())[:PARTS]
    return ()


def _first_and_last(container):
    """Its first two entries and its last two: a container of many other things is not gone through."""
    kind = type(container)
    for base in (list, tuple):
        if issubclass(kind, base):
            get = base.__getitem__
            return [*get(container, slice(0, 2)), *get(container, slice(-2, None))]
    return _items(container)
