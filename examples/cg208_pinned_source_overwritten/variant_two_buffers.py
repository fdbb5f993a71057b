"""Two graphs take turns with two pinned buffers; the third write comes before the first replay is done."""

import torch


class Slot:
    def __init__(self):
        self.staging = torch.zeros(4, pin_memory=True)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            torch.cuda._sleep(20_000_000)  # stands for work that comes before the copy
            self.output = self.staging.to("cuda", non_blocking=True) * 2

    def run(self, value):
        self.staging.fill_(value)  # cgsan: CG208
        self.graph.replay()  # cgsan: label
        return self.output.clone()


slots = [Slot(), Slot()]
outputs = [slots[number % 2].run(float(number)) for number in range(6)]
replayed = [output[0].item() for output in outputs]
print("replay", replayed, "eager", [2.0 * number for number in range(6)])
