import torch


class Clip(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, limit):
        ctx.limit = limit
        return value * 1.0

    @staticmethod
    def backward(ctx, grad):
        if grad.abs().amax() > ctx.limit:
            grad = grad / 2
        return grad, None


def main():
    w = torch.randn(32, device="cuda", requires_grad=True)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        Clip.apply(w * 2, 1e9).sum().backward()
    torch.cuda.current_stream().wait_stream(side)
    w.grad = None
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        Clip.apply(w * 2, 1e9).sum().backward()


main()
