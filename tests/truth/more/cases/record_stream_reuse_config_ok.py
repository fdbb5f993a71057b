import os
os.environ["PYTORCH_CUDA_ALLOC_CONF"] = "graph_capture_record_stream_reuse:True"
import torch

x = torch.ones(1 << 20, device="cuda")
s = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        z = y * 2
    y.record_stream(s)
    del y
    torch.cuda.current_stream().wait_stream(s)
    w = torch.empty(1 << 20, device="cuda").fill_(2)
g.replay()
torch.cuda.synchronize()
print("OK")
