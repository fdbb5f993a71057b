import torch

x = torch.randn(64, device="cuda")
a, b, c = (torch.cuda.Stream() for _ in range(3))


def branch(parent, child, tensor, join):
    child.wait_stream(parent)
    with torch.cuda.stream(child):
        out = tensor.sin()
    if join:
        parent.wait_stream(child)
    return out


g = torch.cuda.CUDAGraph()
with torch.cuda.graph(g):
    main = torch.cuda.current_stream()
    y = branch(main, a, x, True)
    z = branch(a, b, y, True)
    w = branch(b, c, z, False)
    main.wait_stream(a)
    main.wait_stream(b)
