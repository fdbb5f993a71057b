"""NVIDIA's Warp, whose CUDA runtime is linked into its library without names.

The virtual GPU cannot stand in for such a runtime. Without a GPU, Warp goes on with the CPU: so it is left alone.
"""

import os
from importlib.machinery import PathFinder

NAME = "Warp"


def is_left_alone():
    """Whether the virtual GPU is to serve this process, and no real one."""
    from . import native

    return native.serves_virtually()


def is_installed():
    """Whether the module `warp` that an import would find is NVIDIA's."""
    found = PathFinder.find_spec("warp")
    folders = (found and found.submodule_search_locations) or ()
    return any(os.path.exists(os.path.join(it, "bin", "warp.so")) for it in folders)
