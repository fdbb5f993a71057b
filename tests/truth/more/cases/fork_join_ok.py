import torch
x = torch.randn(128, device="cuda")
s1 = torch.cuda.Stream(); s2 = torch.cuda.Stream()
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    cur = torch.cuda.current_stream()
    a = x * 2
    s1.wait_stream(cur)
    with torch.cuda.stream(s1):
        b = a + 1
        s2.wait_stream(s1)
        with torch.cuda.stream(s2):
            c = b + 1
        s1.wait_stream(s2)
    cur.wait_stream(s1)
    d = c + 1
g.replay()
torch.cuda.synchronize()
print("OK")
