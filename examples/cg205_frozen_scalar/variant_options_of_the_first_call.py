"""The wrapper keeps the keywords of the call that it captured, and those of later calls go nowhere."""

import torch


class Denoiser:
    def predict(self, x, options=None):
        scale = options["scale"] if options else 1.0
        return x - x.tanh() * scale  # cgsan: CG205


class Graphed:
    def __init__(self, model):
        self.model = model
        self.graph = None

    def capture(self, x, **keywords):
        self.inputs = x.clone()
        self.keywords = keywords
        self.model.predict(self.inputs, **keywords)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outputs = self.model.predict(self.inputs, **self.keywords)

    def __call__(self, x, **keywords):
        if self.graph is None:
            self.capture(x, **keywords)
        self.inputs.copy_(x)
        self.graph.replay()  # cgsan: label
        return self.outputs.clone()


model = Denoiser()
graphed = Graphed(model)
x = torch.ones(4, device="cuda")
for scale in (0.5, 0.5, 0.25, 0.25):
    given = {"scale": scale}
    eager = model.predict(x, options=given)
    print("replay", graphed(x, options=given).tolist(), "eager", eager.tolist())
