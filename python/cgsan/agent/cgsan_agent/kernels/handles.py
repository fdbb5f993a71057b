"""Launches of a kernel of Triton by the handle of what was compiled, `compiled[grid](…)`, which go past `JITFunction.run`."""

import functools
import sys


def around(launched):
    """Has each such launch go through `launched`, which is given what was compiled, its kernel, its arguments, its grid, and what
    launches it."""
    handle = getattr(sys.modules.get("triton.compiler.compiler"), "CompiledKernel", None)
    of_grid = getattr(handle, "__getitem__", None)
    if of_grid is None:
        return

    @functools.wraps(of_grid)
    def getitem(self, grid):
        launch = of_grid(self, grid)
        kernel = getattr(self.src, "fn", None)
        names = getattr(kernel, "arg_names", ())

        @functools.wraps(launch)
        def run(*arguments, **keywords):
            again = functools.partial(launch, *arguments, **keywords)
            # Before Triton 3.3, what is compiled in is not given.
            is_whole = names and len(arguments) == len(names)
            return launched(self, kernel, arguments, grid, again) if is_whole else again()

        return run

    handle.__getitem__ = getitem
