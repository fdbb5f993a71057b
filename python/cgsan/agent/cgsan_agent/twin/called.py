"""The modules that a region calls: whether they are in training, and which hooks they and their parameters have."""

import contextlib

import torch
from torch.nn.modules import module as modules
from torch.utils.hooks import RemovableHandle

from ..replays import module_hooks
from . import registered

TENSOR_KINDS = {
    "_backward_hooks": "tensor",
    "_post_accumulate_grad_hooks": "post_accumulate_grad",
}


class Called:
    """What is known of the modules that one run of a region calls. Modules are told apart by where they are and their class."""

    def __init__(self):
        # By module, whether it was in training when it was called first.
        self.training = {}
        # By what has it, its class and its kind: the hooks, each what its function is.
        self.hooks = {}
        # The number of the hook that is registered next.
        self.next_hook = RemovableHandle.next_id

    def as_plain(self):
        """What can be kept of it."""
        return self.training, self.hooks, self.next_hook

    @contextlib.contextmanager
    def followed(self, training):
        """Follows what is inside of it, with `training` in place of the modules' own, as far as it is known."""

        def before(module, _):
            key = id(module), type(module).__qualname__
            if key not in self.training:
                self.training[key] = module.training
                self._meet(module, module_hooks.KINDS)
            if training.get(key, module.training) != module.training:
                module.training = training[key]

        handle = modules.register_module_forward_pre_hook(before)
        try:
            yield
        finally:
            handle.remove()

    def meet_parameter(self, tensor):
        """Takes note of the hooks of a leaf tensor that the region uses."""
        self._meet(tensor, TENSOR_KINDS)

    def _meet(self, owner, kinds):
        for attribute, kind in kinds.items():
            hooks = getattr(owner, attribute, None)
            if hooks:
                key = id(owner), type(owner).__qualname__, kind
                self.hooks[key] = {number: _function(it) for number, it in dict(hooks).items()}


def retrained(then, now):
    """The modules whose `training` is another one now."""
    return [key for key, flag in now.items() if then.get(key, flag) != flag]


def hooks_since(then, next_then, now, next_now):
    """The hooks that were registered since a capture, and those that were removed: what has each, its kind, its number and its
    function."""
    added = [
        (key, number, function)
        for key, hooks in now.items()
        for number, function in hooks.items()
        if next_then <= number < next_now and function not in then.get(key, {}).values()
    ]
    removed = [
        (key, number, function)
        for key, hooks in then.items()
        for number, function in hooks.items()
        if number < next_then and function not in now.get(key, {}).values()
    ]
    return added, removed


def ran(hooks, stack):
    """The hook whose function is on a stack, or None."""
    for key, number, (name, file, first, last) in hooks:
        for frame in stack:
            if frame["file"] == file and first <= frame["line"] <= last:
                place = registered.place(number)
                return {"kind": key[2], "hook": name, "registered": place}
    return None


def name_of(key, variables, shared):
    """The expression that leads to a module from the variables of a region, or from those of the Python module that it is in; or
    None."""
    return _name_of(key, variables) or _name_of(key, _modules(shared))


def _modules(variables):
    return {name: it for name, it in variables.items() if isinstance(it, torch.nn.Module)}


def _name_of(key, variables):
    for name, value in variables.items():
        if isinstance(value, torch.nn.Module):
            found = _path(key, value)
            if found is not None:
                return name + found
        for attribute, inner in vars(value).items() if hasattr(value, "__dict__") else ():
            found = _path(key, inner) if isinstance(inner, torch.nn.Module) else None
            if found is not None:
                return f"{name}.{attribute}{found}"
    return None


def _path(key, outer):
    for path, inner in outer.named_modules():
        if id(inner) == key[0]:
            return f".{path}" if path else ""
    return None


def _function(hook):
    """What a hook is: its name, its file, and its first and last line."""
    name, code = module_hooks.function_of(hook)
    if code is None:
        return name, "", 0, 0
    lines = [line for _, _, line in code.co_lines() if line is not None]
    return name, code.co_filename, code.co_firstlineno, max(lines, default=code.co_firstlineno)
