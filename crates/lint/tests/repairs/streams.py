# --- safe: a stream is forked and joined
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    with torch.cuda.stream(side):
        y = x + 1
# --- repaired
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x + 1
    torch.cuda.current_stream().wait_stream(side)
# --- safe: streams that a loop forks are joined by another loop
import torch

x = torch.ones(8, device="cuda")
sides = [torch.cuda.Stream() for _ in range(3)]
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x + 1
    for at, side in enumerate(sides):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            z = y + at
    # the end
# --- repaired
import torch

x = torch.ones(8, device="cuda")
sides = [torch.cuda.Stream() for _ in range(3)]
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    y = x + 1
    for at, side in enumerate(sides):
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            z = y + at
    for at, side in enumerate(sides):
        torch.cuda.current_stream().wait_stream(side)
    # the end
# --- safe: a fork between the calls of a capture is joined
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x + 1
    graph.capture_end()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        y = x + 1
    torch.cuda.current_stream().wait_stream(side)
    graph.capture_end()
# --- unsafe: a wait for other work moves before the capture
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
event = torch.cuda.Event()
with torch.cuda.stream(side):
    x.add_(1)
    event.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_event(event)
    y = x + 1
# --- repaired
import torch

x = torch.ones(8, device="cuda")
side = torch.cuda.Stream()
event = torch.cuda.Event()
with torch.cuda.stream(side):
    x.add_(1)
    event.record()
graph = torch.cuda.CUDAGraph()
torch.cuda.current_stream().wait_event(event)
with torch.cuda.graph(graph):
    y = x + 1
# --- safe: a capture moves to a stream of its own
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
graph.capture_begin()
y = x + 1

z = [
    y * 2,
]
graph.capture_end()
for _ in range(3):
    graph.replay()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x + 1

    z = [
        y * 2,
    ]
    graph.capture_end()
for _ in range(3):
    graph.replay()
# --- safe: a capture is told another stream
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.default_stream()):
    y = x + 1
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=torch.cuda.Stream()):
    y = x + 1
# --- unsafe: an event that the host asks for is an external one
import torch

x = torch.ones(8, device="cuda")
event = torch.cuda.Event(enable_timing=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    event.record()
graph.replay()
event.synchronize()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
event = torch.cuda.Event(enable_timing=True, external=True)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
    event.record()
graph.replay()
event.synchronize()
# --- nothing: a stream that has no name
import torch

x = torch.ones(8, device="cuda")
streams = [torch.cuda.Stream()]
with torch.cuda.graph(torch.cuda.CUDAGraph()):
    streams[0].wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(streams[0]):
        y = x + 1
