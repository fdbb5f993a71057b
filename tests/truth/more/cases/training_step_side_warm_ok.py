import torch
m = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), torch.nn.Linear(8, 4)).cuda()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
x = torch.randn(4, 8, device="cuda"); t = torch.randn(4, 4, device="cuda")
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(s):
    for _ in range(3):
        opt.zero_grad(set_to_none=True)
        torch.nn.functional.mse_loss(m(x), t).backward()
        opt.step()
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
opt.zero_grad(set_to_none=True)
with torch.cuda.graph(g):
    loss = torch.nn.functional.mse_loss(m(x), t)
    loss.backward()
    opt.step()
for _ in range(3):
    g.replay()
torch.cuda.synchronize()
print("OK")
