import torch, torch.nn.functional as F
q = torch.randn(2, 4, 16, 32, device="cuda", dtype=torch.float16)
F.scaled_dot_product_attention(q, q, q)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    y = F.scaled_dot_product_attention(q, q, q)
g.replay()
torch.cuda.synchronize()
print("OK")
