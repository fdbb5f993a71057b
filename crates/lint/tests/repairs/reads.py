# --- unsafe: a number is read behind the replay
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    value = y.sum().item()  # the loss
graph.replay()
print(value)
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
graph.replay()
value = y.sum().item()  # the loss
print(value)
# --- unsafe: a read between the calls of a capture
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x * 2
    print(f"{y[0].item()}")
    graph.capture_end()
graph.replay()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.stream(torch.cuda.Stream()):
    graph.capture_begin()
    y = x * 2
    graph.capture_end()
    print(f"{y[0].item()}")
graph.replay()
# --- unsafe: an event is asked behind the capture
import torch

x = torch.ones(8, device="cuda")
event = torch.cuda.Event()
event.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    done = event.query()
# --- repaired
import torch

x = torch.ones(8, device="cuda")
event = torch.cuda.Event()
event.record()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
done = event.query()
# --- unsafe: a copy to the host, and what the host makes of it
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    first = float(y.cpu()[0])
# --- repaired
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
first = float(y.cpu()[0])
# --- nothing: what is computed of it belongs into the graph
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2
    z = y * y.sum().item()
# --- nothing: what is read is needed inside
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    value = x.sum().item()
    y = x * value
# --- nothing: what is read is written again
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    print(x.sum().item())
    x.add_(1)
# --- nothing: the only statement of its block
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    print(x.sum().item())
# --- nothing: two statements on a line
import torch

x = torch.ones(8, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = x * 2; value = y.sum().item()
