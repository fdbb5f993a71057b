"""The cells of a notebook: code that is in no file, under names that the kernel makes up."""

import contextlib
import linecache
import sys

# Characters of the largest cell that is told of.
LARGEST = 1 << 20

# The number that each cell was told with.
_told = {}


def tell(recorder):
    """Tells of the cells that were not told of yet, if the program is a notebook."""
    with contextlib.suppress(Exception):
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        # What IPython's own tracebacks name cells by.
        numbers = getattr(getattr(shell, "compile", None), "_filename_map", None) or {}
        for file, number in list(numbers.items()):
            if number and _told.get(file) != number:
                _told[file] = number
                code = "".join(linecache.getlines(file))
                if len(code) <= LARGEST:
                    recorder.event({"event": "cell", "file": file, "number": number, "code": code})
