# --- fails
import torch


class Profiler:
    def __init__(self):
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def __enter__(self):
        self.begin.record()
        return self

    def __exit__(self, *exception):
        self.end.record()

    def elapsed(self):
        return self.begin.elapsed_time(self.end)  # cgsan: CG127


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    with Profiler() as profiler:
        y = x * 2
graph.replay()
torch.cuda.synchronize()
print(profiler.elapsed())
# --- fixed
import torch


class Profiler:
    def __init__(self):
        self.begin = torch.cuda.Event(enable_timing=True)
        self.end = torch.cuda.Event(enable_timing=True)

    def __enter__(self):
        self.begin.record()
        return self

    def __exit__(self, *exception):
        self.end.record()

    def elapsed(self):
        return self.begin.elapsed_time(self.end)


x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
with Profiler() as profiler:
    graph.replay()
torch.cuda.synchronize()
print(profiler.elapsed())
# --- lookalike
import torch

begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
side = torch.cuda.Stream()
fork = torch.cuda.Event()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    fork.record()
    side.wait_event(fork)
    with torch.cuda.stream(side):
        y = x * 2
    torch.cuda.current_stream().wait_stream(side)
begin.record()
graph.replay()
end.record()
torch.cuda.synchronize()
print(begin.elapsed_time(end))
