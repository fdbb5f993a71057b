"""What a program may ask of cgsan.

`cgsan.verify(fn, *inputs)` runs a region eagerly and by replays, and compares. It needs PyTorch and a GPU, real or virtual, and
nothing else. `cgsan run` brings it; elsewhere it is a package like others. `cgsan.explain(exception)` and `cgsan.watch()` ask the
command.

Nothing is imported before it is asked for: pytest's plugin is in this package, and costs those nothing who do not use it;
and what watches PyTorch has to be there before PyTorch is imported.
"""

import importlib

# Type checkers take it for true. That of `typing` would have to be imported.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .command import CommandFailed, CommandMissing
    from .explanation import Explanation, explain
    from .outcome import Mismatch, Undecided, Unusable
    from .verification import verify
    from .version import __version__
    from .watching import Unwatchable, watch

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


# Type checkers know of the names above, and of no others.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(importlib.import_module(f".{_HOME[name]}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
