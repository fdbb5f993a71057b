"""Another thread works on the stream that captures: what it makes in between lies in the pool of the graph."""

import threading

import torch

x = torch.ones(4, device="cuda")
_ = x * 2 + 1
torch.cuda.synchronize()
stream = torch.cuda.Stream()
results = []


def work():
    torch.cuda.set_stream(stream)
    doubled = x * 2
    results.append(doubled + 1)


graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()

for value in (1.0, 2.0, 3.0):
    x.fill_(value)
    graph.replay()
    print("replay", results[0][0].item(), "expected", 2 * value + 1)
