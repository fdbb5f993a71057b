"""Mode `thread_local` binds the capture to its thread just as `global` does."""

from concurrent.futures import ThreadPoolExecutor

import torch

x = torch.ones(4, device="cuda")
graph = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
side = torch.cuda.Stream()
with torch.cuda.stream(side):
    graph.capture_begin(capture_error_mode="thread_local")
    y = x + 1


def finish():
    with torch.cuda.stream(side):
        graph.capture_end()


with ThreadPoolExecutor(max_workers=1) as executor:
    executor.submit(finish).result()
