"""The autograd graph that a failing backward pass was walking."""

import os
import sys

from . import exceptions

# Nodes read of a graph, and names of variables kept: enough for large models, quick enough to go
# unnoticed.
NODES = 20_000
NAMES = 50_000
# What `_sequence_nr()` says of nodes without a number.
NO_SEQUENCE = 2**64 - 1

_CO_OPTIMIZED = 0x1
_LOCALS_ARE_A_VIEW = sys.version_info >= (3, 13)


def describe(exception):
    """The `autograd` event, or None if no backward pass failed or its graph cannot be read."""
    try:
        torch = sys.modules["torch"]
        frames = [frame for frame, _ in exceptions.frames(exception)]
        roots = _roots(torch, frames)
        if not roots:
            return None
        nodes = _walk(roots)
        names = _variable_names(torch, frames)
        return {"event": "autograd", "nodes": [_describe_node(node, names) for node in nodes]}
    except Exception:
        return None


def _roots(torch, frames):
    """The nodes at which the backward pass that is innermost in `frames` began."""
    tail = os.path.join("torch", "autograd", "graph.py")
    for frame in reversed(frames):
        code = frame.f_code
        if code.co_name == "_engine_run_backward" and code.co_filename.endswith(tail):
            outputs = local_variables(frame).get("t_outputs") or ()
            return [
                node for node in (_node(torch, output) for output in outputs) if node is not None
            ]
    return []


def _node(torch, output):
    """The node of a tensor or of a `GradientEdge`."""
    if issubclass(type(output), torch.Tensor):
        return output.grad_fn
    return getattr(output, "node", None)


def _walk(roots):
    """The nodes that can be reached from `roots`, each once, nearest first."""
    found = []
    known = set()
    for node in roots:
        if node not in known:
            known.add(node)
            found.append(node)
    for node in found:
        for following, _ in node.next_functions:
            if len(found) >= NODES:
                return found
            if following is not None and following not in known:
                known.add(following)
                found.append(following)
    return found


def _describe_node(node, names):
    name = type(node).__name__
    sequence = node._sequence_nr()
    variable = getattr(node, "variable", None) if name == "AccumulateGrad" else None
    return {
        "name": node.name() if name == "CppFunction" else name,
        "sequence": None if sequence == NO_SEQUENCE else sequence,
        "variable": names.get(id(variable)) if variable is not None else None,
    }


def _variable_names(torch, frames):
    """What the program calls its tensors and the parameters of its modules, by identity.

    Where there are several names, the innermost wins.
    """
    names = {}
    library = os.path.dirname(torch.__file__) + os.sep
    seen = set()
    for frame in reversed(frames):
        if frame.f_code.co_filename.startswith(library):
            continue
        for scope in (local_variables(frame), frame.f_globals):
            if id(scope) in seen:
                continue
            seen.add(id(scope))
            for name, value in list(scope.items()):
                if len(names) >= NAMES:
                    return names
                _add_names(torch, names, name, value)
    return names


def _add_names(torch, names, name, value):
    # `type` and not `isinstance`, which asks the object and so may run the program's code.
    kind = type(value)
    if issubclass(kind, torch.Tensor):
        names.setdefault(id(value), name)
    elif issubclass(kind, torch.nn.Module):
        for parameter_name, parameter in torch.nn.Module.named_parameters(value):
            names.setdefault(id(parameter), f"{name}.{parameter_name}")


def local_variables(frame):
    """The local variables of `frame`, without prolonging their lives.

    Before Python 3.13 a function's `f_locals` is a copy that the frame keeps: it is emptied again,
    unless the program holds it itself, or a debugger is about to write it back.
    """
    scope = frame.f_locals
    if _LOCALS_ARE_A_VIEW or not frame.f_code.co_flags & _CO_OPTIMIZED:
        return scope
    found = dict(scope)
    # Three references: the frame's, ours, and the argument of `getrefcount`.
    if sys.getrefcount(scope) == 3 and sys.gettrace() is None:
        scope.clear()
    return found
