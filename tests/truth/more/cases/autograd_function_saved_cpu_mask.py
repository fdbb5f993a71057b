import torch


class Mask(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, mask):
        ctx.mask = mask
        return value.clone()

    @staticmethod
    def backward(ctx, grad):
        keep = ctx.mask.cuda(non_blocking=True)
        return grad * keep, None


w = torch.randn(32, device="cuda", requires_grad=True)
mask = torch.ones(32)
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    Mask.apply(w, mask).sum().backward()
torch.cuda.current_stream().wait_stream(side)
w.grad = None
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    Mask.apply(w, mask).sum().backward()
