"""A simulation puts its result into a record; to begin anew, the record gets a field of zeros, and keeps it."""

from dataclasses import dataclass

import torch


@dataclass
class Fields:
    pressure: torch.Tensor


class Simulation:
    def __init__(self):
        self.source = torch.ones(4, device="cuda")
        self.fields = Fields(torch.zeros(4, device="cuda"))

    def step(self):
        flow = self.source * 3
        self.fields.pressure = flow - 1

    def capture(self):
        self.step()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):  # cgsan: label
            self.step()


simulation, reference = Simulation(), Simulation()
simulation.capture()
simulation.fields.pressure = torch.zeros(4, device="cuda")  # cgsan: CG212
simulation.source.fill_(2)
simulation.graph.replay()
reference.source.fill_(2)
reference.step()
replayed, eager = (it.fields.pressure.sum().item() for it in (simulation, reference))
print("replay", [replayed], "eager", [eager])
