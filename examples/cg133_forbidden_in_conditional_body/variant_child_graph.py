"""The body has a child graph, and that has the host function."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
# CUDA 12 has the function of CUDA 13 under this name.
add_node = getattr(cudart, "cudaGraphAddNode_v2", cudart.cudaGraphAddNode)
none, flags = ctypes.c_size_t(0), ctypes.c_ulonglong(0)
torch.cuda.init()


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def report(_):
    print("converged")


def conditional(graph):
    """Adds an IF node, which is `cudaGraphNodeParams` with type, handle and one body. Returns the body, which is put behind."""
    handle, node = ctypes.c_uint64(), ctypes.c_void_p()
    assert cudart.cudaGraphConditionalHandleCreate(ctypes.byref(handle), graph, 1, 1) == 0
    words = (ctypes.c_uint64 * 32)(13, 0, handle.value, 1 << 32)
    assert add_node(ctypes.byref(node), graph, None, None, none, words) == 0
    return ctypes.c_void_p.from_address(words[4])


def fill(body):
    child, node = ctypes.c_void_p(), ctypes.c_void_p()
    assert cudart.cudaGraphCreate(ctypes.byref(child), 0) == 0
    words = (ctypes.c_uint64 * 32)(3, 0, ctypes.cast(report, ctypes.c_void_p).value)
    assert add_node(ctypes.byref(node), child, None, None, none, words) == 0
    words = (ctypes.c_uint64 * 32)(4, 0, child.value)
    assert add_node(ctypes.byref(node), body, None, None, none, words) == 0


graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
assert cudart.cudaGraphCreate(ctypes.byref(graph), 0) == 0
fill(conditional(graph))
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, flags)  # cgsan: CG133
assert code == 0, code
