"""The body frees what it allocates: a second node that no body may have."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
# CUDA 12 has the function of CUDA 13 under this name.
add_node = getattr(cudart, "cudaGraphAddNode_v2", cudart.cudaGraphAddNode)
none, size, flags = ctypes.c_size_t(0), ctypes.c_size_t(1024), ctypes.c_ulonglong(0)
x = torch.ones(1024, dtype=torch.uint8, device="cuda")
source = ctypes.c_void_p(x.data_ptr())
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)


def conditional(graph):
    """Adds an IF node, which is `cudaGraphNodeParams` with type, handle and one body. Returns the body, which is put behind."""
    handle, node = ctypes.c_uint64(), ctypes.c_void_p()
    assert cudart.cudaGraphConditionalHandleCreate(ctypes.byref(handle), graph, 1, 1) == 0
    words = (ctypes.c_uint64 * 32)(13, 0, handle.value, 1 << 32)
    assert add_node(ctypes.byref(node), graph, None, None, none, words) == 0
    return ctypes.c_void_p.from_address(words[4])


def fill(body):
    memory = ctypes.c_void_p()
    assert cudart.cudaStreamBeginCaptureToGraph(stream, body, None, None, none, 2) == 0
    assert cudart.cudaMallocAsync(ctypes.byref(memory), size, stream) == 0
    assert cudart.cudaMemcpyAsync(memory, source, size, 3, stream) == 0
    assert cudart.cudaFreeAsync(memory, stream) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(ctypes.c_void_p())) == 0


graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
assert cudart.cudaGraphCreate(ctypes.byref(graph), 0) == 0
fill(conditional(graph))
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, flags)
assert code == 0, code
