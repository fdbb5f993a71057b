import torch
a = torch.ones(4, device="cuda")
g1 = torch.cuda.CUDAGraph(); g2 = torch.cuda.CUDAGraph()
s1 = torch.cuda.Stream(); s2 = torch.cuda.Stream()
e = torch.cuda.Event()
torch.cuda.synchronize()
with torch.cuda.stream(s1):
    g1.capture_begin(capture_error_mode="relaxed")
    b = a + 1
    e.record()
with torch.cuda.stream(s2):
    g2.capture_begin(capture_error_mode="relaxed")
    s2.wait_event(e)
