"""Two captures run at once and have nothing to do with each other."""

import torch

x = torch.ones(8, device="cuda")
y = torch.ones(8, device="cuda")
left_stream = torch.cuda.Stream()
right_stream = torch.cuda.Stream()
left = torch.cuda.CUDAGraph()
right = torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(left_stream):
    left.capture_begin(capture_error_mode="relaxed")
    x.mul_(2)
with torch.cuda.stream(right_stream):
    right.capture_begin(capture_error_mode="relaxed")
    y.add_(1)
    right.capture_end()
with torch.cuda.stream(left_stream):
    left.capture_end()
