"""Set-up, capture, refill and replay all run in inference mode, random numbers included."""

import torch


class Engine:
    @torch.inference_mode()
    def __init__(self):
        self.input = torch.ones(4, 8, device="cuda")
        self.output = torch.zeros(4, 8, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.output.copy_(torch.nn.functional.dropout(self.input, p=0.5))

    @torch.inference_mode()
    def run(self, batch):
        self.input.copy_(batch)
        self.graph.replay()
        return self.output.clone()


engine = Engine()
for value in (1.0, 2.0):
    output = engine.run(torch.full((4, 8), value, device="cuda"))
assert output.is_inference()
torch.cuda.synchronize()
