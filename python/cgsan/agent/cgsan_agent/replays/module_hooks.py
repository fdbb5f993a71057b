"""Hooks of modules: where they are kept, and what their functions are."""

import functools
import types

# By the attribute of a module that keeps them, what is told of them.
KINDS = {
    "_forward_pre_hooks": "forward_pre",
    "_forward_hooks": "forward",
    "_backward_pre_hooks": "backward_pre",
    "_backward_hooks": "backward",
}


def function_of(hook):
    """The name of the function behind a hook, or of the class of what is called, and its code; None if it is not in Python."""
    function = hook
    while type(function) in (functools.partial, types.MethodType):
        function = function.func if type(function) is functools.partial else function.__func__
    kind = type(function)
    is_function = kind is types.FunctionType
    called = function if is_function else getattr(kind, "__call__", None)  # noqa: B004
    name = function.__qualname__ if is_function else kind.__qualname__
    return name, getattr(called, "__code__", None)
