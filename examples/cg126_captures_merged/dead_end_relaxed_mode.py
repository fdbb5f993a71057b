"""Mode `relaxed` permits unsafe calls, and no edge between two captures."""

import torch

x = torch.ones(8, device="cuda")
left_stream, right_stream = torch.cuda.Stream(), torch.cuda.Stream()
left, right = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
torch.cuda.synchronize()
with torch.cuda.stream(left_stream):
    left.capture_begin(capture_error_mode="relaxed")
    x.mul_(2)
with torch.cuda.stream(right_stream):
    right.capture_begin(capture_error_mode="relaxed")
    right_stream.wait_stream(left_stream)
    x.add_(1)
    right.capture_end()
with torch.cuda.stream(left_stream):
    left.capture_end()
