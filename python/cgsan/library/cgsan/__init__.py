"""What a program may ask of cgsan.

`cgsan.verify(fn, *inputs)` runs a region eagerly and by replays, and compares. It needs PyTorch and a GPU, real or virtual, and
nothing else. `cgsan run` brings it; elsewhere it is a package like others. `cgsan.explain(exception)` and `cgsan.watch()` ask the
command.

Nothing is imported before it is asked for: pytest's plugin is in this package, and costs those nothing who do not use it;
and what watches PyTorch has to be there before PyTorch is imported.
"""

import importlib

_HOME = {
    "CommandFailed": "command",
    "CommandMissing": "command",
    "Explanation": "explanation",
    "Mismatch": "outcome",
    "Undecided": "outcome",
    "Unusable": "outcome",
    "Unwatchable": "watching",
    "__version__": "version",
    "explain": "explanation",
    "load_ipython_extension": "notebook",
    "unload_ipython_extension": "notebook",
    "verify": "verification",
    "watch": "watching",
}

__all__ = [
    "CommandFailed",
    "CommandMissing",
    "Explanation",
    "Mismatch",
    "Undecided",
    "Unusable",
    "Unwatchable",
    "__version__",
    "explain",
    "verify",
    "watch",
]


def __getattr__(name):
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*globals(), *__all__})
