"""After the refusal the right thread can no longer end the capture: there is none."""

import threading

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    graph.capture_begin()
    y = x + 1


def finish():
    with torch.cuda.stream(side):
        graph.capture_end()


worker = threading.Thread(target=finish)
worker.start()
worker.join()
finish()
