"""The captures follow each other; the order of their replays makes one wait for the other."""

import torch

x = torch.ones(8, device="cuda")
left_stream = torch.cuda.Stream()
right_stream = torch.cuda.Stream()
left = torch.cuda.CUDAGraph()
right = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(left_stream):
    left.capture_begin()
    x.mul_(2)
    left.capture_end()
with torch.cuda.stream(right_stream):
    right.capture_begin()
    x.add_(1)
    right.capture_end()
with torch.cuda.stream(left_stream):
    left.replay()
right_stream.wait_stream(left_stream)
with torch.cuda.stream(right_stream):
    right.replay()
