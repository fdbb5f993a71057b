"""The CUDA runtime in NVIDIA's `cuda.bindings`, for which the virtual GPU stands in.

Its functions are linked into one extension module, without names in the file. But other modules find them in a dictionary of
capsules, as Cython documents for functions that modules share
(https://cython.readthedocs.io/en/latest/src/userguide/sharing_declarations.html). So the capsules are given the addresses of
the virtual GPU's functions, before the first module binds to them.
"""

import ctypes
import importlib
import os

# The modules that the runtime is linked into: of 13.3 and later, and of 12.8 to 13.2.
MODULES = ("cuda.bindings._internal.runtime", "cuda.bindings._bindings.cyruntime")

# By https://nvidia.github.io/cuda-python/cuda-bindings/latest/environment_variables.html
PER_THREAD = "CUDA_PYTHON_CUDA_PER_THREAD_DEFAULT_STREAM"


def stand_in(recorder):
    """Leads the functions of the module that is installed to the virtual GPU's."""
    for name in MODULES:
        try:
            capsules = importlib.import_module(name).__pyx_capi__
        except (ImportError, AttributeError):
            continue
        if recorder.runtime_agrees(_version(capsules)):
            _lead(recorder, capsules)
        return


def _lead(recorder, capsules):
    set_pointer = _of_python("PyCapsule_SetPointer", ctypes.c_int, ctypes.c_void_p)
    suffixes = ("_ptsz", "_ptds", "") if os.environ.get(PER_THREAD, "0") != "0" else ("",)
    for name, capsule in capsules.items():
        found = (recorder.function_of_runtime(name[1:] + suffix) for suffix in suffixes)
        address = next(filter(None, found), None)
        if name.startswith("_cuda") and address:
            set_pointer(capsule, address)


def _version(capsules):
    """The version of the module's own runtime, which needs no driver to say it."""
    capsule = capsules["_cudaRuntimeGetVersion"]
    name = _of_python("PyCapsule_GetName", ctypes.c_char_p)(capsule)
    address = _of_python("PyCapsule_GetPointer", ctypes.c_void_p, ctypes.c_char_p)(capsule, name)
    version = ctypes.c_int()
    ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(address)(ctypes.byref(version))
    return version


def _of_python(name, result, *others):
    """A function of Python's that takes a capsule first."""
    return ctypes.PYFUNCTYPE(result, ctypes.py_object, *others)((name, ctypes.pythonapi))
