"""The version of PyTorch: of the one that an import would find, read without importing it, and of the one that is loaded."""

import os
import re
import sys


class Found:
    """What `torch/version.py` says.

    The versions of PyTorch, CUDA and ROCm; the latter two are None where it was built without.
    """

    def __init__(self, text):
        self.torch = _value(text, "__version__") or ""
        self.cuda = _value(text, "cuda")
        self.hip = _value(text, "hip")


def find(asking):
    """The PyTorch that the finders other than `asking` know, or None."""
    for finder in list(sys.meta_path):
        if finder is asking:
            continue
        try:
            spec = finder.find_spec("torch", None)
            if spec is None:
                continue
            folder = next(iter(spec.submodule_search_locations))
            with open(os.path.join(folder, "version.py"), encoding="utf-8") as file:
                return Found(file.read())
        except Exception:
            continue
    return None


def running(torch):
    """The version of the PyTorch that is loaded, as a pair of numbers."""
    return tuple(int(part) for part in torch.__version__.split(".")[:2])


def _value(text, name):
    found = re.search(rf"^{name}\s*(?::[^=\n]*)?=\s*['\"]([^'\"\n]*)['\"]", text, re.MULTILINE)
    return found.group(1) if found else None
