"""Hooks of submodules that a replay through `make_graphed_callables` does not call."""

import os
import sys
import types

from .. import autograd
from . import module_hooks, paths

# Frames between the replay and the module's replaced `forward`, at most.
NEAREST = 16
# Hooks told of one replay, and modules looked at.
HOOKS = 64
MODULES = 5_000

TAIL = os.path.join("torch", "cuda", "graphs.py")


def of_stack():
    """The graphed module whose `forward` is being replayed by this thread, or None."""
    frame = sys._getframe(1)
    for _ in range(NEAREST):
        if frame is None:
            return None
        if _is_graphed(frame.f_code):
            variables = autograd.local_variables(frame)
            # In 2.15 the closure holds the module weakly, and a variable does while it runs.
            return variables.get("func", variables.get("module"))
        frame = frame.f_back
    return None


def replays(forward):
    """Whether it is the `forward` that `make_graphed_callables` gives a module."""
    return type(forward) is types.FunctionType and _is_graphed(forward.__code__)


def _is_graphed(code):
    return code.co_name == "new_fwd" and code.co_filename.endswith(TAIL)


def skipped_hooks(module):
    """The hooks on the modules inside of `module`."""
    found = []
    for path, inside in _inside(module):
        attributes = paths.attributes(inside)
        for attribute, kind in module_hooks.KINDS.items():
            hooks = attributes.get(attribute)
            for hook in list(dict.values(hooks)) if issubclass(type(hooks), dict) else ():
                if len(found) >= HOOKS:
                    return found
                found.append({"module": path, "kind": kind, **_describe(hook)})
    return found


def _inside(module):
    """The modules inside of `module` with their paths, outer ones first, each once."""
    queue = [("", module)]
    known = {id(module)}
    for path, outer in queue:
        modules = paths.attributes(outer).get("_modules")
        if not issubclass(type(modules), dict):
            continue
        for name, inner in list(dict.items(modules)):
            if inner is not None and id(inner) not in known and len(queue) < MODULES:
                known.add(id(inner))
                queue.append((f"{path}.{name}" if path else str(name), inner))
    return queue[1:]


def _describe(hook):
    """The name of the function behind a hook, and where it is defined."""
    name, code = module_hooks.function_of(hook)
    return {
        "hook": name,
        "file": code.co_filename if code is not None else None,
        "line": code.co_firstlineno if code is not None else None,
    }
