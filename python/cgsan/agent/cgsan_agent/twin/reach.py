"""What a region can come upon among the program's objects, as one number: while that is the same, so is what the region does.

From the variables of the region the way leads through containers, objects, closures, and the program's own functions and classes, to
plain values and tensors. Objects count by what they hold, and not by where they are. Where something cannot be looked into, such as an
iterator or an object of a library in C, there is no such number.
"""

import collections
import contextlib
import ctypes
import enum
import functools
import gc
import marshal
import os
import sys
import threading
import types
import weakref

import torch

from ..replays import bytecode, frames
from ..replays.tensors import Tensors
from . import modes, names

# Objects gone into: where there are more, there is no number.
OBJECTS = 20_000
# Bytes read of one tensor of the host; a larger one counts by how often it was written.
BYTES = 256

_PLAIN = frozenset((int, float, complex, bool, str, bytes, type(None)))
_CONTAINERS = frozenset((dict, list, tuple, set, collections.OrderedDict))
_TABLES = (dict, collections.OrderedDict, collections.defaultdict)
# Those whose contents are what the collector of garbage says that they refer to.
_BUILT_IN = (
    *(dict, list, tuple, set, frozenset, slice, property, classmethod, staticmethod, super),
    *(collections.OrderedDict, collections.defaultdict, collections.deque),
    *(functools.partial, types.BuiltinFunctionType, types.CellType, types.MappingProxyType),
    *(types.MethodType, types.MethodWrapperType, types.SimpleNamespace),
    type(functools.lru_cache(lambda: None)),
)
# Those that stay what they are.
_LASTING = (
    *(enum.Enum, range, types.CodeType, type(threading.Lock()), type(threading.RLock())),
    *(type(...), type(NotImplemented), types.ClassMethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.MethodDescriptorType),
    *(types.WrapperDescriptorType, torch.Generator, torch.cuda.Event, torch.cuda.CUDAGraph),
)
_NUMBERS = (torch.dtype, torch.layout, torch.memory_format, torch.device)
# Modules whose objects lead to all others, and say nothing of what a region does.
_ASIDE = ("logging", "torch._ops", "_abc")


class _Unknown(Exception):
    """It leads to what cannot be looked into."""


def fingerprint(source, variables):
    """The number for a region with these variables, or None."""
    walk = _Walk()
    try:
        with walk.tensors.undispatched():
            walk.go_through(names.of_region_and_module(source, variables))
    except Exception:
        return None
    return hash(marshal.dumps(_settings(), 2)), hash(marshal.dumps(walk.parts, 2))


def meets(kinds, source, variables):
    """Whether a region with these variables comes upon an object of these classes, as far as can be looked."""
    walk = _Walk(passes_over=True)
    with contextlib.suppress(Exception), walk.tensors.undispatched():
        walk.go_through(names.of_region_and_module(source, variables))
    return walk.has_met(kinds)


def _settings():
    """What decides what operators do, and is no object of the program's."""
    return [
        list(modes.current().items()),
        modes.is_in_autocast(),
        list(os.environ.items()),
    ]


class _Walk:
    def __init__(self, passes_over=False):
        self.tensors = Tensors()
        # Whether what cannot be looked into is no reason to end.
        self._passes_over = passes_over
        # What was found, in the order of the way.
        self.parts = []
        # What is gone into, which keeps it alive meanwhile, and the number of each.
        self._found = []
        self._numbers = {}
        # By class: the method that goes into its objects.
        self._ways = {}

    def go_through(self, variables):
        self._see([variables])
        for value in self._found:  # It grows meanwhile.
            kind = type(value)
            way = self._ways.get(kind)
            if way is None:
                way = self._ways[kind] = self._way_into(kind)
            way(self, value)

    def has_met(self, kinds):
        """Whether one of these was found."""
        return any(isinstance(it, kinds) for it in self._found)

    def _see(self, values):
        found, numbers, parts = self._found, self._numbers, self.parts
        for value in values:
            kind = type(value)
            if kind in _PLAIN:
                parts.append(value)
                continue
            if kind in _CONTAINERS and not value:
                parts.append((id(kind),))
                continue
            number = numbers.get(id(value))
            if number is None:
                numbers[id(value)] = len(found)
                found.append(value)
                parts.append((id(kind), 0))
            else:
                parts.append((number,))
        if len(found) > OBJECTS:
            raise _Unknown

    def _way_into(self, kind):
        if kind in _TABLES:
            return _Walk._table
        if issubclass(kind, torch.Tensor):
            return _Walk._tensor
        if issubclass(kind, type):
            return _Walk._class
        for kinds, way in (
            (types.FunctionType, _Walk._function),
            (types.ModuleType, _Walk._module),
            (weakref.ReferenceType, _Walk._weak),
            (_LASTING, _Walk._lasting),
            (_NUMBERS, _Walk._number),
            (torch.Size, _Walk._size),
            (torch.cuda.Stream, _Walk._stream),
        ):
            if issubclass(kind, kinds):
                return way
        if kind.__module__ in _ASIDE:
            return _Walk._lasting
        if hasattr(kind, "__next__") or not all(map(_can_be_looked_into, kind.__mro__[:-1])):
            if self._passes_over:
                return _Walk._lasting
            raise _Unknown(kind)
        return _Walk._parts

    def _parts(self, value):
        referents = gc.get_referents(value)
        self.parts.append(len(referents))
        self._see(referents)

    def _table(self, value):
        self.parts.append(len(value))
        if value:
            self._see(list(value))
            self._see(list(value.values()))

    def _tensor(self, tensor):
        where = tensor.data_ptr(), tuple(tensor.shape), tensor.stride()
        self.parts.append((*where, str(tensor.dtype), tensor.requires_grad))
        if not tensor.is_cuda:
            self._contents(tensor)
        if tensor.is_leaf:
            self._see((tensor.grad,))
        self._parts(tensor)

    def _contents(self, tensor):
        size = tensor.untyped_storage().nbytes()
        if size > BYTES:
            self.parts.append(tensor._version)
        elif size:
            self.parts.append(ctypes.string_at(tensor.untyped_storage().data_ptr(), size))

    def _function(self, function):
        code = function.__code__
        self.parts.append(id(code))
        self._see((function.__closure__, function.__defaults__, function.__kwdefaults__))
        self._see((vars(function),))
        if frames.origin(code.co_filename) == frames.OWN:
            shared = function.__globals__
            self._see(shared.get(name) for name in globals_of(code))

    def _class(self, kind):
        self.parts.append(id(kind))
        if frames.is_own_module(kind.__module__):
            members = ((name, it) for name, it in vars(kind).items() if name not in _DESCRIBING)
            self._see(it for pair in list(members) for it in pair)
            self._see(kind.__bases__)

    def _module(self, module):
        self.parts.append(id(module))
        if frames.is_own_module(module.__name__):
            self._see(it for name, it in list(vars(module).items()) if not name.startswith("__"))

    def _weak(self, reference):
        self._see((reference(),))

    def _lasting(self, value):
        self.parts.append(id(value))

    def _number(self, value):
        self.parts.append(str(value))

    def _size(self, value):
        self.parts.append(tuple(value))

    def _stream(self, stream):
        self.parts.append(stream.cuda_stream)


# The flag of classes that can be given no attributes, as those in C (Python 3.10).
_IMMUTABLE = 1 << 8
# What a class has beside its members.
_DESCRIBING = frozenset(("__annotations__", "__doc__", "__module__", "__static_attributes__"))


def _can_be_looked_into(kind):
    """Whether all that objects have from this class can be found: it is written in Python, or a container."""
    if kind in _BUILT_IN:
        return True
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    is_in_python = kind.__module__ == "__main__" or (file is not None and file.endswith(".py"))
    is_changeable = not kind.__flags__ & _IMMUTABLE
    return is_in_python and is_changeable and "__module__" in vars(kind)


_globals = weakref.WeakKeyDictionary()


def globals_of(code):
    """The names of variables of its module that a function uses, and those inside of it."""
    found = _globals.get(code)
    if found is None:
        own = {it.value for it in bytecode.instructions(code) if it.name == "LOAD_GLOBAL"}
        inner = (it for it in code.co_consts if isinstance(it, types.CodeType))
        own.update(name for it in inner for name in globals_of(it))
        found = _globals[code] = sorted(own)
    return found
