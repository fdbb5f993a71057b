import torch
m = torch.nn.Linear(8, 8).cuda()
opt = torch.optim.SGD(m.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cuda")
x = torch.randn(4, 8, device="cuda")
s = torch.cuda.Stream()
s.wait_stream(torch.cuda.current_stream())
def step():
    opt.zero_grad(set_to_none=True)
    with torch.autocast("cuda", cache_enabled=False):
        loss = m(x).sum()
    scaler.scale(loss).backward()
    scaler.step(opt)
    scaler.update()
with torch.cuda.stream(s):
    for _ in range(2): step()
torch.cuda.current_stream().wait_stream(s)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    step()
