"""What a function reaches: by its closure, the globals that it names, its object's attributes, and so on from there."""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

import torch

from . import holders

# Objects looked at: more than the modules, tensors and settings of a large model.
LIMIT = 200_000
# A container of more elements holds data; its numbers are not looked at one by one.
MANY = 1_000

Plain: TypeAlias = bool | int | float | complex | str | bytes | None
PLAIN = (bool, int, float, complex, str, bytes, type(None))
NO_STATE = (
    type,
    types.ModuleType,
    types.CodeType,
    types.FrameType,
    types.BuiltinFunctionType,
    types.GeneratorType,
    torch.dtype,
    torch.device,
    torch.Size,
    torch.cuda.Stream,
    torch.cuda.Event,
    torch.cuda.CUDAGraph,
)
FUNCTIONS = (types.FunctionType, staticmethod, classmethod, property)
DATA = (torch.Tensor, bool, int, float, list, dict)
# Not the program's: their globals are not its state.
FOREIGN = frozenset(sys.stdlib_module_names | {"torch", "numpy", "triton", "cgsan", "cgsan_agent"})
# Parts of PyTorch whose objects are machinery.
MACHINERY = ("torch._", "torch.fx.", "torch.utils.", "torch.distributed.")


class Reached:
    """Tensors and plain values by their paths, generators, and the places that hold them all."""

    def __init__(self) -> None:
        self.tensors: dict[str, torch.Tensor] = {}
        self.plain: dict[str, Plain] = {}
        self.generators: list[torch.Generator] = []
        self.holders: list[holders.Holder[Any]] = []
        self.is_whole = True


def reach(function: Callable[..., object], inputs: Iterable[object]) -> Reached:
    """What `function` reaches when it is called with `inputs`."""
    walk = _Walk()
    for number, value in enumerate(inputs):
        walk.visit(f"inputs[{number}]", value)
    is_object = not isinstance(function, (*FUNCTIONS, types.MethodType, functools.partial))
    walk.visit("self" if is_object else name_of(function), function)
    walk.finish()
    return walk.found


def name_of(function: Callable[..., object]) -> str:
    """What to call a callable."""
    if isinstance(function, functools.partial):
        return name_of(function.func)
    name: str = getattr(function, "__qualname__", type(function).__name__)
    return name.rpartition("<locals>.")[2]


class _Walk:
    def __init__(self) -> None:
        self.found = Reached()
        self._queue: list[tuple[str, object]] = []
        # By identity, with a path. The objects are kept, so that no other one gets the identity of one that is gone.
        self._known: dict[int, tuple[object, str | None]] = {}
        self._unnamed = 0

    def visit(self, path: str, value: object) -> None:
        if isinstance(value, PLAIN):
            self.found.plain[path] = value
        elif not isinstance(value, NO_STATE) and self._is_new(value, path):
            self._queue.append((path, value))

    def finish(self) -> None:
        # Breadth first: a thing gets the shortest of its paths.
        for path, value in self._queue:
            self._look_into(path, value)

    def _is_new(self, value: object, path: str | None = None) -> bool:
        if id(value) in self._known:
            return False
        if len(self._known) >= LIMIT:
            self.found.is_whole = False
            return False
        self._known[id(value)] = (value, path)
        return True

    def _look_into(self, path: str, value: object) -> None:
        if isinstance(value, torch.Tensor):
            self.found.tensors[path] = value
            if value.is_leaf and value.requires_grad:
                self._hold(holders.Attributes(value, ("grad",)), lambda name: f"{path}.{name}")
        elif isinstance(value, torch.Generator):
            self.found.generators.append(value)
        elif isinstance(value, types.FunctionType):
            self._function(path, value)
        elif isinstance(value, types.MethodType):
            self.visit("self", value.__self__)
            self.visit(path, value.__func__)
        elif isinstance(value, functools.partial):
            for part in (value.func, value.args, value.keywords):
                self.visit(path, part)
        elif isinstance(value, (staticmethod, classmethod)):
            self.visit(path, value.__func__)
        elif isinstance(value, property):
            self.visit(path, value.fget)
        else:
            self._object(path, value)

    def _hold(
        self, holder: holders.Holder[holders.Key], name: Callable[[holders.Key], str]
    ) -> None:
        self.found.holders.append(holder)
        content = holder.content()
        for key, value in content.items():
            if len(content) <= MANY or not isinstance(value, PLAIN):
                self.visit(name(key), value)

    def _function(self, path: str, function: types.FunctionType) -> None:
        cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
        for name, cell in cells:
            if self._is_new(cell):
                self._hold(holders.Cell(cell, name), str)
        for value in (function.__defaults__, function.__kwdefaults__, function.__dict__):
            self.visit(path, value)
        if _top(function.__globals__.get("__name__")) not in FOREIGN:
            self._names(function.__globals__, _names(function.__code__), "")

    def _names(self, variables: dict[str, Any], names: Sequence[str], prefix: str) -> None:
        """The globals that code names, and those of the program's other modules by way of them."""
        present = [it for it in names if it in variables]
        self._hold(holders.Names(variables, present), lambda name: prefix + name)
        for name in present:
            module = variables[name]
            is_module = isinstance(module, types.ModuleType)
            if is_module and _top(module.__name__) not in FOREIGN and self._is_new(module):
                self._names(vars(module), names, f"{prefix}{name}.")

    def _object(self, path: str, value: object) -> None:
        holder = holders.of_container(value)
        if holder is not None:
            self._hold(holder, lambda key: f"{path}[{self._key(key)}]")
        kind = type(value)
        module = kind.__module__ or ""
        if module.startswith(MACHINERY):
            return
        if _top(module) in FOREIGN - {"torch"} and kind is not types.SimpleNamespace:
            return
        if isinstance(value, torch.nn.Module):
            for part in (value._parameters, value._buffers, value._modules):
                if self._is_new(part):
                    self._hold(holders.Items(part), lambda name: f"{path}.{name}")
        attributes = getattr(value, "__dict__", None)
        if type(attributes) is dict and self._is_new(attributes):
            self._hold(holders.Items(attributes), lambda name: f"{path}.{name}")
        if _top(module) not in FOREIGN:
            self._slots(path, value)
            self._class(kind)

    def _key(self, key: object) -> str:
        if isinstance(key, PLAIN):
            return repr(key)
        _, path = self._known.get(id(key), (None, None))
        if path is None:
            self._unnamed += 1
            path = f"#{self._unnamed}"
        return path

    def _slots(self, path: str, value: object) -> None:
        names = [
            name
            for base in type(value).__mro__
            for name, it in vars(base).items()
            if isinstance(it, types.MemberDescriptorType)
        ]
        if names:
            self._hold(holders.Attributes(value, names), lambda name: f"{path}.{name}")

    def _class(self, kind: type) -> None:
        """What an object's methods reach, and what its classes hold."""
        for base in kind.__mro__:
            if _top(base.__module__) in FOREIGN or not self._is_new(base):
                continue
            own = {name: it for name, it in vars(base).items() if not name.startswith("__")}
            data = [name for name, it in own.items() if isinstance(it, DATA)]
            prefix = f"{base.__name__}."
            self._hold(holders.Attributes(base, data), prefix.__add__)
            for name, it in vars(base).items():
                if isinstance(it, FUNCTIONS):
                    self.visit(prefix + name, it)


def _names(code: types.CodeType) -> list[str]:
    """The globals and attributes that a function names, with the functions inside of it."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_names(constant)))
    return list(names)


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]
