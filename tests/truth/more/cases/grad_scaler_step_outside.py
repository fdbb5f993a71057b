import torch

net = torch.nn.Linear(32, 8).cuda()
opt = torch.optim.SGD(net.parameters(), lr=1e-3, momentum=0.9)
scaler = torch.amp.GradScaler("cuda")
x = torch.randn(16, 32, device="cuda")


def forward_backward():
    with torch.autocast("cuda", dtype=torch.float16, cache_enabled=False):
        loss = net(x).square().mean()
    scaler.scale(loss).backward()


side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    for _ in range(3):
        opt.zero_grad(set_to_none=True)
        forward_backward()
torch.cuda.current_stream().wait_stream(side)
opt.zero_grad(set_to_none=True)
g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    forward_backward()
for _ in range(3):
    g.replay()
    scaler.step(opt)
    scaler.update()
torch.cuda.synchronize()
print("ok")
