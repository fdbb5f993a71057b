"""The thread that begins a capture ends it."""

import threading

import torch

x = torch.ones(8, device="cuda")
stream = torch.cuda.Stream()
graph = torch.cuda.CUDAGraph()


def capture():
    with torch.cuda.stream(stream):
        graph.capture_begin()
        x + 1
        graph.capture_end()


torch.cuda.synchronize()
worker = threading.Thread(target=capture, name="capture")
worker.start()
worker.join()
graph.replay()
