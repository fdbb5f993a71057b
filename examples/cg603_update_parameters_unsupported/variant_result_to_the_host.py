"""The result goes to the host instead of the device, and nobody looks at the answer."""

import ctypes

import torch

cudart = ctypes.CDLL(f"libcudart.so.{torch.version.cuda.split('.')[0]}")


def capture(work):
    graph = torch.cuda.CUDAGraph(keep_graph=True)
    with torch.cuda.graph(graph):
        work()
    return graph


def update(executable, graph):
    info = (ctypes.c_void_p * 3)()
    handles = executable.raw_cuda_graph_exec(), graph.raw_cuda_graph()
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)  # cgsan: CG603


host = torch.full((8,), 2.0).pin_memory()
device = torch.full((8,), 3.0, device="cuda")
y = torch.zeros(8, device="cuda")
step = capture(lambda: y.copy_(device))
later = capture(lambda: host.copy_(device, non_blocking=True))
step.instantiate()
update(step, later)
cudart.cudaGetLastError()
step.replay()  # cgsan: label
torch.cuda.synchronize()
assert host.tolist() == [3.0] * 8, host.tolist()
