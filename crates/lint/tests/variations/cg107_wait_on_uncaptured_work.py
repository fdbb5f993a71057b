# --- the loader's event is awaited inside
import torch


class Loader:
    def __init__(self):
        self.stream = torch.cuda.Stream()
        self.ready = torch.cuda.Event()
        self.batch = torch.zeros(8, device="cuda")

    def load(self):
        with torch.cuda.stream(self.stream):
            self.batch.fill_(1)
            self.ready.record()


loader = Loader()
loader.load()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    torch.cuda.current_stream().wait_event(loader.ready)  # cgsan: CG107
    y = loader.batch * 2
# --- with `record_event`, and a capture by hand
import torch

copies = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(copies):
    x.add_(1)
marker = copies.record_event()
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    marker.wait()  # cgsan: CG107
    y = x + 1
    graph.capture_end()
# --- a helper that waits for every stream it is given
import torch


def wait_all(streams):
    here = torch.cuda.current_stream()
    for stream in streams:
        here.wait_stream(stream)  # cgsan: CG107


copies = torch.cuda.Stream()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(copies):
    x.add_(1)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    wait_all([copies])
    y = x + 1
# --- silent: the wait is before the capture, and before each replay
import torch

copies = torch.cuda.Stream()
ready = torch.cuda.Event()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(copies):
    x.add_(1)
    ready.record()
torch.cuda.current_stream().wait_event(ready)
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x + 1
for _ in range(3):
    torch.cuda.current_stream().wait_event(ready)
    torch.cuda.current_stream().wait_stream(copies)
    graph.replay()
# --- silent: an event of before is recorded anew inside
import torch

side = torch.cuda.Stream()
event = torch.cuda.Event()
event.record()
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    event.record()
    side.wait_event(event)
    with torch.cuda.stream(side):
        y = x * 2
    torch.cuda.current_stream().wait_stream(side)
# --- silent: an external event may be awaited
import torch

ready = torch.cuda.Event(external=True)
x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    ready.wait()
    y = x + 1
