"""The code of numba's kernels on the virtual GPU, which reads PTX.

numba links what LLVM made of them, in a format that has no documentation, unless it is told to leave out optimization at link time.
"""

import functools
import sys


def link_ptx():
    """Has numba link PTX. To be called once the module that links is loaded."""
    library = getattr(sys.modules.get("numba.cuda.codegen"), "CUDACodeLibrary", None)
    link_all = getattr(library, "_link_all", None)
    if link_all is None:
        return

    @functools.wraps(link_all)
    def linked(self, linker, *arguments, **keywords):
        linker.lto = False
        return link_all(self, linker, *arguments, **keywords)

    library._link_all = linked
