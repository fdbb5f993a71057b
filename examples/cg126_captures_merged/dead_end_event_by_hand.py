"""An event that is recorded and waited for by hand is the same edge as `wait_stream`."""

import torch

x = torch.ones(8, device="cuda")
left_stream, right_stream = torch.cuda.Stream(), torch.cuda.Stream()
left, right = torch.cuda.CUDAGraph(), torch.cuda.CUDAGraph()
done = torch.cuda.Event()
torch.cuda.synchronize()
with torch.cuda.stream(left_stream):
    left.capture_begin(capture_error_mode="relaxed")
    x.mul_(2)
    done.record()
with torch.cuda.stream(right_stream):
    right.capture_begin(capture_error_mode="relaxed")
    right_stream.wait_event(done)
    x.add_(1)
    right.capture_end()
with torch.cuda.stream(left_stream):
    left.capture_end()
