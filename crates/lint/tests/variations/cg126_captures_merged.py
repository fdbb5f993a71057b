# --- two pipelines are captured at once, and one waits for the other
import torch

a, b = torch.cuda.Stream(), torch.cuda.Stream()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(a):
    first.capture_begin(capture_error_mode="relaxed")
    y = x + 1
with torch.cuda.stream(b):
    second.capture_begin(capture_error_mode="relaxed")
    b.wait_stream(a)  # cgsan: CG126
    z = x + 2
    second.capture_end()
with torch.cuda.stream(a):
    first.capture_end()
# --- by an event, in a helper
import torch


def after(stream, event):
    stream.wait_event(event)  # cgsan: CG126


a, b = torch.cuda.Stream(), torch.cuda.Stream()
done = torch.cuda.Event()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(a):
    first.capture_begin(capture_error_mode="relaxed")
    y = x + 1
    done.record()
with torch.cuda.stream(b):
    second.capture_begin(capture_error_mode="relaxed")
    after(b, done)
    z = x + 2
    second.capture_end()
with torch.cuda.stream(a):
    first.capture_end()
# --- it ends on another stream than it began on
import torch

begin, end = torch.cuda.Stream(), torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
with torch.cuda.stream(begin):
    graph.capture_begin()
    y = x + 1
with torch.cuda.stream(end):
    graph.capture_end()  # cgsan: CG126
# --- silent: two captures at once that know nothing of each other
import torch

a, b = torch.cuda.Stream(), torch.cuda.Stream()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
torch.cuda.synchronize()
with torch.cuda.stream(a):
    first.capture_begin(capture_error_mode="relaxed")
    y = x + 1
with torch.cuda.stream(b):
    second.capture_begin(capture_error_mode="relaxed")
    z = x + 2
    second.capture_end()
with torch.cuda.stream(a):
    first.capture_end()
# --- silent: one after the other, ordered by their replays
import torch

a, b = torch.cuda.Stream(), torch.cuda.Stream()
first, second = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
x = torch.ones(8, device="cuda")
with torch.cuda.graph(first, stream=a):
    y = x + 1
with torch.cuda.graph(second, stream=b):
    z = y + 2
with torch.cuda.stream(a):
    first.replay()
b.wait_stream(a)
with torch.cuda.stream(b):
    second.replay()
