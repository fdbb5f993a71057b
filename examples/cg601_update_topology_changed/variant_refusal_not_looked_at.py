"""Nobody looks at the answer, and the replay still runs the old step."""

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
    return cudart.cudaGraphExecUpdate(*map(ctypes.c_void_p, handles), info)  # cgsan: CG601


x = torch.ones(8, device="cuda")
y = torch.zeros(8, device="cuda")
step = capture(lambda: y.copy_(x))
longer = capture(lambda: y.copy_(x).mul_(2))
step.instantiate()
update(step, longer)
cudart.cudaGetLastError()
step.replay()  # cgsan: label
assert y.tolist() == [2.0] * 8, y.tolist()
