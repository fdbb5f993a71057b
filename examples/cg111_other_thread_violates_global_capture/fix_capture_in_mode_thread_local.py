"""In mode `thread_local` another thread may query its event during the capture."""

import threading

import torch

event = torch.cuda.Event()
event.record()
answers = []
x = torch.ones(8, device="cuda")
y = torch.empty_like(x)
worker = threading.Thread(target=lambda: answers.append(event.query()))
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph, capture_error_mode="thread_local"):
    worker.start()
    worker.join()
    y.copy_(x)

graph.replay()
assert y.tolist() == x.tolist()
assert len(answers) == 1
