"""The variables of a region whose function may have returned, kept without prolonging the life of anything."""

import contextlib
import copy
import functools
import sys
import types
import weakref

from ..replays import bytecode, frames, paths, weak
from . import callers, given, views
from .namespaces import Gone, Namespace

# Entries of a container that is kept by its entries, and how deep containers may lie in one another.
ENTRIES = 64
DEPTH = 4
# Objects that lie deeper are not made again.
DEEPEST_OBJECT = 2
_PLAIN = (
    int,
    float,
    complex,
    bool,
    str,
    bytes,
    type(None),
    type(...),
    type(NotImplemented),
    range,
    slice,
)


class Variables:
    """The variables that a region uses, as they were when its capture began."""

    def __init__(self, source, frame):
        self._is_function = source.is_function()
        used = source.names()
        if self._is_function and "super" in used:
            used.update(("__class__", *frame.f_code.co_varnames[:1]))
        self._used = used
        self._kept = {name: keep(value) for name, value in self._of(frame).items()}
        self._shared = _Shared(frame)
        self.given = given.Given(frame)
        self._passed_on = {}
        if self._is_function:
            self._passed_on = callers.of_names(frame, self.plain())

    def _of(self, frame):
        return {
            name: it for name, it in dict(frames.variables(frame)).items() if name in self._used
        }

    def now(self, frame, stay):
        """What to run the region with now: the variables of the running frame of its function if there is one, and what they
        were at the capture of the others, and of those in `stay`. A module's are there anyway."""
        found = {}
        for name, kept in self._kept.items():
            if self._is_function or name in stay:
                try:
                    found[name] = kept()
                except Gone:
                    continue
        if self._is_function:
            live = self._live(frame)
            found.update((name, value) for name, value in live.items() if name not in stay)
        return found

    def stand_in(self, variables):
        """In a child: has tensors among the variables whose memory is gone, which no operator can be given, for code that hands them on."""
        if not self._is_function:
            return
        for name in self._kept.keys() - variables.keys():
            kept = self._kept[name]
            if type(kept) is _Tensor:
                variables[name] = kept.form.of_gone()

    def of_then(self):
        """Those that are still there, or can be made again, as they were at the capture."""
        found = {}
        for name, kept in self._kept.items():
            with contextlib.suppress(Gone):
                found[name] = kept()
        return found

    def _live(self, frame):
        """Those of a call of its function that runs, or those that functions around it share with it and still run with."""
        return self._of(frame) if frame is not None else self._shared.now(self._used)

    def are_shared(self):
        """Whether functions around the region's function, which may still run, have some of them."""
        return self._shared.has_calls()

    def of_capture(self, frame, stay):
        """The names of those that `now` gives as they were at the capture."""
        if not self._is_function:
            return self._kept.keys() & stay
        live = self._live(frame)
        return {name for name in self._kept if name in stay or name not in live}

    def passed_on(self, stay):
        """Those numbers that a caller gave the function of the region, which has returned, as that caller is given them now."""
        found = {}
        now = callers.Now()
        for name, places in self._passed_on.items():
            value = now.value(places)
            if _is_plain(value) and name not in stay:
                found[name] = value
        return found

    def plain(self):
        """Those that are plain values, or lists and the like of them, which tell captures of one place apart."""
        return {name: kept.value for name, kept in self._kept.items() if type(kept) is _Plain}

    def have_moved(self, now, shared):
        """Whether one of the plain ones has another value now, in `now` or among the variables of the module, `shared`."""
        plain = self.plain().items()
        return any(now.get(name, shared.get(name, value)) != value for name, value in plain)

    def of_another(self, frame, other):
        """Those that are now what they were at the capture of another region of this place, and were not at that of this one."""
        own, theirs = (it._objects() for it in (self, other))
        live = self._live(frame)
        return {
            name
            for name, value in theirs.items()
            if live.get(name) is value and own.get(name) is not value
        }

    def _objects(self):
        """Those that are objects and still there."""
        objects = ((name, it.held()) for name, it in self._kept.items() if isinstance(it, _Weak))
        return {name: value for name, value in objects if value is not None}


class _Shared:
    """The variables that the functions around a region's function share with it, in the calls that made it."""

    def __init__(self, frame):
        self._calls = {}
        names = set(frame.f_code.co_freevars)
        outer = frame.f_back if names else None
        while outer is not None:
            shared = names.intersection(outer.f_code.co_cellvars)
            if shared and frame.f_code in bytecode.inner(outer.f_code):
                self._calls[id(outer), outer.f_code] = shared
            outer = outer.f_back

    def has_calls(self):
        """Whether there were such calls at the capture."""
        return bool(self._calls)

    def now(self, used):
        """Those of `used`, as far as the calls still run."""
        found = {}
        frame = sys._getframe(1) if self._calls else None
        while frame is not None:
            shared = used.intersection(self._calls.get((id(frame), frame.f_code), ()))
            live = frames.variables(frame) if shared else {}
            found.update((name, live[name]) for name in shared if name in live)
            frame = frame.f_back
        return found


class _Plain:
    def __init__(self, value):
        self.value = value

    def __call__(self):
        return self.value


class _Weak:
    """An object, held weakly; a function or a plain object may be gone, and is made again from its parts."""

    def __init__(self, reference, rebuild=None):
        self._reference = reference
        self._rebuild = rebuild

    def held(self):
        """The object, or None."""
        return self._reference()

    def __call__(self):
        value = self._reference()
        if value is None:
            if self._rebuild is None:
                raise Gone
            return self._rebuild()
        return value


class _Tensor(_Weak):
    """A tensor of the GPU. One of which the object alone is gone, such as a view, is made again in the memory that is still there."""

    def __init__(self, tensor):
        super().__init__(weak.Weak(tensor))
        self.form = views.Form(tensor)
        storage = tensor.untyped_storage()
        self._storages, self._storage = type(storage), storage._weak_ref()
        release = weakref.finalize(self, self._storages._free_weak_ref, self._storage)
        release.atexit = False

    def __call__(self):
        value = self.held()
        return value if value is not None else self._again()

    def _again(self):
        if self.form.requires_grad:
            raise Gone
        storage = self._storages._new_with_weak_ptr(self._storage)
        if storage is None:
            raise Gone
        return self.form.in_storage(storage)


def _gone():
    raise Gone


def keep(value, depth=0):
    """A function that gives a value back, or raises `Gone`. It holds plain values and code, and nothing else."""
    kind = type(value)
    if kind in _PLAIN or _is_constant_of_torch(value):
        return _Plain(value)
    if kind in (tuple, list, dict) and depth == 0 and _is_plain(value):
        return _Plain(copy.deepcopy(value))
    if kind in (tuple, list, set, frozenset, dict) and len(value) <= ENTRIES and depth < DEPTH:
        return _container(kind, value, depth)
    if issubclass(kind, tuple) and hasattr(kind, "_make") and len(value) <= ENTRIES:
        fields = keep(tuple(value), depth + 1)
        return lambda: kind._make(fields())
    if kind is types.MethodType:
        function, owner = (keep(value.__func__, depth + 1), keep(value.__self__, depth + 1))
        return lambda: types.MethodType(function(), owner())
    if kind is functools.partial and depth < DEPTH:
        parts = keep((value.func, value.args, dict(value.keywords)), depth + 1)
        return lambda: _partial(*parts())
    if issubclass(kind, sys.modules["torch"].Tensor) and views.is_plain(value):
        return _Tensor(value)
    rebuild = None
    if kind is types.FunctionType and depth < DEPTH:
        rebuild = _rebuild(value, depth + 1)
    elif depth < DEEPEST_OBJECT and _is_plain_object(kind):
        attributes = paths.attributes(value)
        rebuild = _remake(kind, attributes) if len(attributes) <= ENTRIES else None
    try:
        return _Weak(weak.Weak(value), rebuild)
    except TypeError:
        # What cannot be referred to weakly is as it was.
        return rebuild or _gone


def _is_plain(value, depth=0):
    """Whether it is a plain value, or a few of them in lists, tuples and dictionaries."""
    kind = type(value)
    if kind is dict:
        entries = [*value, *value.values()]
    elif kind in (tuple, list):
        entries = value
    else:
        return kind in _PLAIN
    few = len(entries) <= ENTRIES and depth < DEPTH
    return few and all(_is_plain(it, depth + 1) for it in entries)


def _is_constant_of_torch(value):
    """Whether it is one of PyTorch's constants, a number of NumPy's, or a generator of random numbers: nothing that holds memory."""
    torch, numpy = sys.modules["torch"], sys.modules.get("numpy")
    if numpy is not None and issubclass(type(value), numpy.generic):
        return True
    kinds = (torch.dtype, torch.device, torch.layout, torch.memory_format, torch.Size)
    return type(value) in (*kinds, torch.Generator)


def _is_plain_object(kind):
    """Whether all that objects of a class of the program's have are their attributes."""
    torch = sys.modules["torch"]
    is_own = (
        frames.is_own_module(kind.__module__)
        and not issubclass(kind, (torch.nn.Module, torch.Tensor))
        and kind.__new__ is object.__new__
    )
    return is_own or kind is types.SimpleNamespace


def _remake(kind, attributes):
    """What makes an object again, which nobody can have changed since it has gone, with those attributes that are still there."""
    parts = {name: keep(value, DEPTH - 1) for name, value in attributes.items()}

    def remake():
        made = kind.__new__(kind)
        for name, part in parts.items():
            with contextlib.suppress(Gone):
                if type(getattr(kind, name, None)) is types.MemberDescriptorType:
                    object.__setattr__(made, name, part())
                else:
                    vars(made)[name] = part()
        return made

    return remake


def _partial(function, arguments, keywords):
    return functools.partial(function, *arguments, **keywords)


def _container(kind, value, depth):
    if kind is dict:
        parts = [(keep(key, depth + 1), keep(entry, depth + 1)) for key, entry in value.items()]
        return lambda: {key(): entry() for key, entry in parts}
    parts = [keep(entry, depth + 1) for entry in value]
    return lambda: kind(part() for part in parts)


def _rebuild(function, depth):
    """What makes a function again, whose variables of the functions around it are held as variables are."""
    code, name = function.__code__, function.__name__
    namespace = Namespace(function.__globals__)
    defaults = keep(function.__defaults__, depth)
    keywords = keep(function.__kwdefaults__, depth)
    cells = [_content(cell, depth) for cell in function.__closure__ or ()]

    def rebuild():
        closure = tuple(types.CellType(cell()) for cell in cells)
        made = types.FunctionType(code, namespace.variables(), name, defaults(), closure)
        made.__kwdefaults__ = keywords()
        return made

    return rebuild


def _content(cell, depth):
    try:
        return keep(cell.cell_contents, depth)
    except ValueError:
        return _gone
