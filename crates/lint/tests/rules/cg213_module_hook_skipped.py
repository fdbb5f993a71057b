# --- fails
import torch


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


def collect(module, inputs, output):
    activations.append(output)


activations = []
encoder = Encoder().cuda()
encoder = torch.cuda.make_graphed_callables(encoder, (torch.ones(4, 8, device="cuda"),))
encoder.layers[1].register_forward_hook(collect)  # cgsan: CG213
encoder(torch.ones(4, 8, device="cuda"))
# --- fixed
import torch


class Encoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(8, 8) for _ in range(3))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x).relu()
        return x


def collect(module, inputs, output):
    activations.append(output)


activations = []
encoder = Encoder().cuda()
encoder = torch.cuda.make_graphed_callables(encoder, (torch.ones(4, 8, device="cuda"),))
encoder.register_forward_hook(collect)
encoder(torch.ones(4, 8, device="cuda"))
# --- lookalike
import torch


def collect(module, inputs, output):
    activations.append(output)


activations = []
encoder, head = torch.nn.Linear(8, 8).cuda(), torch.nn.Linear(8, 2).cuda()
encoder = torch.cuda.make_graphed_callables(encoder, (torch.ones(4, 8, device="cuda"),))
head.register_forward_hook(collect)
head(encoder(torch.ones(4, 8, device="cuda")))
