"""The graph allocates before the conditional node and frees behind it; its body only writes."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")
# CUDA 12 has the function of CUDA 13 under this name.
add_node = getattr(cudart, "cudaGraphAddNode_v2", cudart.cudaGraphAddNode)
none, size, flags = ctypes.c_size_t(0), ctypes.c_size_t(1024), ctypes.c_ulonglong(0)
torch.cuda.init()
side = torch.cuda.Stream()
stream = ctypes.c_void_p(side.cuda_stream)


def add(graph, words, after=None):
    """Adds a node: `cudaGraphNodeParams` in words of 8 bytes, of which the first is its type."""
    node, words = ctypes.c_void_p(), (ctypes.c_uint64 * 32)(*words)
    nodes, count = (None, 0) if after is None else (ctypes.byref(after), 1)
    code = add_node(ctypes.byref(node), graph, nodes, None, ctypes.c_size_t(count), words)
    assert code == 0, code
    return node, words


def conditional(graph, after=None):
    handle = ctypes.c_uint64()
    assert cudart.cudaGraphConditionalHandleCreate(ctypes.byref(handle), graph, 1, 1) == 0
    node, words = add(graph, [13, 0, handle.value, 1 << 32], after)
    return node, ctypes.c_void_p.from_address(words[4])


def fill(body, memory):
    assert cudart.cudaStreamBeginCaptureToGraph(stream, body, None, None, none, 2) == 0
    assert cudart.cudaMemsetAsync(memory, 1, size, stream) == 0
    assert cudart.cudaStreamEndCapture(stream, ctypes.byref(ctypes.c_void_p())) == 0


graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
assert cudart.cudaGraphCreate(ctypes.byref(graph), 0) == 0
allocation, words = add(graph, [10, 0, 1, 1, *[0] * 11, 1024])
memory = ctypes.c_void_p(words[16])
node, body = conditional(graph, allocation)
fill(body, memory)
add(graph, [11, 0, memory.value], node)
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, flags)
assert code == 0, code
for _ in range(3):
    assert cudart.cudaGraphLaunch(executable, None) == 0
torch.cuda.synchronize()
