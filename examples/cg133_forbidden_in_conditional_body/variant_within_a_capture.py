"""The conditional node is added to a graph that is being captured, as frameworks do it, and its body allocates."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def newest(name, number):
    """CUDA 12 has the functions of CUDA 13 under names of their own."""
    return getattr(cudart, f"{name}_v{number}", getattr(cudart, name))


add_node = newest("cudaGraphAddNode", 2)
capture_info = newest("cudaStreamGetCaptureInfo", 3)
continue_from = newest("cudaStreamUpdateCaptureDependencies", 2)
none, size, flags = ctypes.c_size_t(0), ctypes.c_size_t(1024), ctypes.c_ulonglong(0)
x = torch.ones(1024, dtype=torch.uint8, device="cuda")
source = ctypes.c_void_p(x.data_ptr())
sides = [torch.cuda.Stream() for _ in range(2)]
stream, branch = (ctypes.c_void_p(side.cuda_stream) for side in sides)


def conditional():
    """Adds an IF node to the capture, as the next node of its stream. Returns the body."""
    status, count = ctypes.c_int(), ctypes.c_size_t()
    graph, nodes, edges, node = (ctypes.c_void_p() for _ in range(4))
    out = [ctypes.byref(it) for it in (graph, nodes, edges, count)]
    assert capture_info(stream, ctypes.byref(status), None, *out) == 0
    handle = ctypes.c_uint64()
    assert cudart.cudaGraphConditionalHandleCreate(ctypes.byref(handle), graph, 1, 1) == 0
    words = (ctypes.c_uint64 * 32)(13, 0, handle.value, 1 << 32)
    assert add_node(ctypes.byref(node), graph, nodes, edges, count, words) == 0
    assert continue_from(stream, ctypes.byref(node), None, ctypes.c_size_t(1), 1) == 0
    return ctypes.c_void_p.from_address(words[4])


graph, executable, memory = (ctypes.c_void_p() for _ in range(3))
assert cudart.cudaStreamBeginCapture(stream, 2) == 0
body = conditional()
assert cudart.cudaStreamBeginCaptureToGraph(branch, body, None, None, none, 2) == 0
assert cudart.cudaMallocAsync(ctypes.byref(memory), size, branch) == 0  # cgsan: label
assert cudart.cudaMemcpyAsync(memory, source, size, 3, branch) == 0
assert cudart.cudaStreamEndCapture(branch, ctypes.byref(ctypes.c_void_p())) == 0
assert cudart.cudaStreamEndCapture(stream, ctypes.byref(graph)) == 0
code = cudart.cudaGraphInstantiate(ctypes.byref(executable), graph, flags)  # cgsan: CG133
assert code == 0, code
