"""One thread begins a capture and another ends it."""

import threading

import torch

x = torch.ones(8, device="cuda")
stream = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()


def finish():
    with torch.cuda.stream(stream):
        graph.capture_end()  # cgsan: CG125


torch.cuda.synchronize()
with torch.cuda.stream(stream):
    graph.capture_begin()
    y = x + 1
worker = threading.Thread(target=finish, name="finish")
worker.start()
worker.join()
graph.replay()
