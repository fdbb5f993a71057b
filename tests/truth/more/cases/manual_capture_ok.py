import torch
a = torch.ones(4, device="cuda")
g = torch.cuda.CUDAGraph()
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    g.capture_begin()
    b = a + 1
    g.capture_end()
torch.cuda.current_stream().wait_stream(s)
g.replay()
torch.cuda.synchronize()
print("OK")
