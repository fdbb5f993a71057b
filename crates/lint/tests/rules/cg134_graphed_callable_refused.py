# --- fails
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.body(x))


def watch(module, args, output):
    shapes.append(tuple(output.shape))


shapes = []
x = torch.ones(4, 8, device="cuda")
block = Block().cuda()
block.register_forward_hook(watch)
block = torch.cuda.make_graphed_callables(block, (x,))  # cgsan: CG134
block(x).sum().backward()
# --- fixed
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        return self.norm(self.body(x))


def watch(module, args, output):
    shapes.append(tuple(output.shape))


shapes = []
x = torch.ones(4, 8, device="cuda")
block = Block().cuda()
block = torch.cuda.make_graphed_callables(block, (x,))
block.register_forward_hook(watch)
block(x).sum().backward()
# --- lookalike
import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.body = torch.nn.Linear(8, 8)
        self.head = torch.nn.Linear(8, 2).requires_grad_(False)
        self.register_buffer("scale", torch.ones(8))

    def forward(self, x, bias=None):
        return self.body(x) * self.scale + bias


def watch(module, args, output):
    shapes.append(tuple(output.shape))


shapes = []
x = torch.ones(4, 8, device="cuda")
bias = torch.ones(8, device="cuda")
block = Block().cuda()
handle = block.register_forward_hook(watch)
block(x, bias=bias)
handle.remove()
block = torch.cuda.make_graphed_callables(block, (x, bias))
block(x, bias).sum().backward()
