# --- one stream for each expert
import torch


class Experts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.experts = torch.nn.ModuleList(torch.nn.LayerNorm(8) for _ in range(30))
        self.streams = [torch.cuda.Stream() for _ in range(30)]

    def forward(self, x):
        main = torch.cuda.current_stream()
        outputs = []
        for expert, stream in zip(self.experts, self.streams):
            stream.wait_stream(main)
            with torch.cuda.stream(stream):
                outputs.append(expert(x))
        for stream in self.streams:
            main.wait_stream(stream)
        return sum(outputs)


experts = Experts().cuda()
x = torch.ones(4, 8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.no_grad(), torch.cuda.graph(graph):  # cgsan: CG506
    y = experts(x)
# --- by hand, joined by events
import torch

origin = torch.cuda.Stream()
branches = tuple(torch.cuda.Stream() for _ in range(30))
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(origin):
    graph.capture_begin()  # cgsan: CG506
    fork = torch.cuda.Event()
    fork.record()
    for branch in branches:
        branch.wait_event(fork)
        with torch.cuda.stream(branch):
            y = x + 1
            done = torch.cuda.Event()
            done.record()
        origin.wait_event(done)
    graph.capture_end()
# --- a helper runs each function on a stream of its own
import torch


def parallel(functions, streams, x):
    main = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(main)
    outputs = []
    for index in range(len(functions)):
        with torch.cuda.stream(streams[index]):
            outputs.append(functions[index](x))
    for stream in streams:
        main.wait_stream(stream)
    return outputs


functions = [torch.sin, torch.cos, torch.tan] * 10
streams = [torch.cuda.Stream() for _ in range(30)]
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):  # cgsan: CG506
    outputs = parallel(functions, streams, x)
# --- silent: eight branches in all
import torch

streams = [torch.cuda.Stream() for _ in range(7)]
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    main = torch.cuda.current_stream()
    for stream in streams:
        stream.wait_stream(main)
        with torch.cuda.stream(stream):
            y = x + 1
    for stream in streams:
        main.wait_stream(stream)
