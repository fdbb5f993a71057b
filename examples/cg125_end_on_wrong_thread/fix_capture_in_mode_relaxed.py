"""In mode `relaxed` another thread may end the capture."""

import threading

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    graph.capture_begin(capture_error_mode="relaxed")
    y = x + 1


def finish():
    with torch.cuda.stream(side):
        graph.capture_end()


worker = threading.Thread(target=finish)
worker.start()
worker.join()
graph.replay()
