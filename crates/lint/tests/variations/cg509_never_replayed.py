# --- what a function became is dropped
import torch

weight = torch.ones(8, 8, device="cuda", requires_grad=True)
x = torch.ones(4, 8, device="cuda")


def score(x, weight):
    return torch.sigmoid(x @ weight)


torch.cuda.make_graphed_callables(score, (x, weight))  # cgsan: CG509
y = score(x, weight)
# --- graphed for inference, and trained
import torch


class Trainer:
    def __init__(self):
        self.x = torch.ones(4, 8, device="cuda")
        model = torch.nn.Linear(8, 8).cuda().eval()
        self.model = torch.cuda.make_graphed_callables(model, (self.x,))

    def step(self):
        self.model(self.x).sum().backward()  # cgsan: CG509


trainer = Trainer()
trainer.model.train()
trainer.step()
trainer.step()
# --- one of two is in the other mode
import torch

x = torch.ones(4, 8, device="cuda")
encoder = torch.nn.Linear(8, 8).cuda()
decoder = torch.nn.Linear(8, 8).cuda()
encoder, decoder = torch.cuda.make_graphed_callables((encoder, decoder), ((x,), (x,)))
encoder.eval()
hidden = encoder(x)  # cgsan: CG509
decoder(hidden).sum().backward()
# --- silent: a module is graphed in place
import torch

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
torch.cuda.make_graphed_callables(model, (x,))
model(x).sum().backward()
# --- silent: code that is not seen trains it
import torch
from trainer import train

model = torch.nn.Linear(8, 8).cuda()
x = torch.ones(4, 8, device="cuda")
model = torch.cuda.make_graphed_callables(model, (x,))
model.eval()
model(x)
train(model)
# --- silent: the mode is what a caller says
import torch


def run(model, x, training):
    model = torch.cuda.make_graphed_callables(model, (x,))
    model.train(training)
    return model(x)


model = torch.nn.Linear(8, 8).cuda()
run(model, torch.ones(4, 8, device="cuda"), len(model.weight) > 4)
