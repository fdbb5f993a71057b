import torch
x = torch.ones(8, device="cuda"); s = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = x + 1
    s.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(s):
        y.record_stream(s); z = y + 1
    torch.cuda.current_stream().wait_stream(s)
    del y
g.replay(); torch.cuda.synchronize()
print("OK")
