"""A lock keeps the other thread's query out of the capture."""

import threading

import torch

gpu = threading.Lock()
event = torch.cuda.Event()
event.record()
answers = []
x = torch.ones(8, device="cuda")
y = torch.empty_like(x)


def poll():
    with gpu:
        answers.append(event.query())


worker = threading.Thread(target=poll)
graph = torch.cuda.CUDAGraph()
with gpu, torch.cuda.graph(graph):
    worker.start()
    y.copy_(x)

worker.join()
graph.replay()
assert y.tolist() == x.tolist()
assert len(answers) == 1
