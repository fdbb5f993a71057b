"""The wrapper keeps the keywords of each graph that it captures, and the graph of the call's own is replayed."""

import torch


class Denoiser:
    def predict(self, x, scale=1.0, name=""):
        return x - x.tanh() * scale


class Entry:
    def __init__(self, model, x, keywords):
        self.model = model
        self.inputs = x.clone()
        self.keywords = keywords

    def capture(self):
        self.model.predict(self.inputs, **self.keywords)
        torch.cuda.synchronize()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.outputs = self.model.predict(self.inputs, **self.keywords)

    def replay(self, x):
        self.inputs.copy_(x)
        self.graph.replay()
        return self.outputs.clone()


class Graphed:
    def __init__(self, model):
        self.model = model
        self.entries = {}

    def __call__(self, x, **keywords):
        key = keywords["scale"]
        if key not in self.entries:
            self.entries[key] = Entry(self.model, x, keywords)
            self.entries[key].capture()
        return self.entries[key].replay(x)


model = Denoiser()
graphed = Graphed(model)
x = torch.ones(4, device="cuda")
for step, scale in enumerate((0.5, 0.5, 0.25, 0.5, 0.25, 0.5, 0.5, 0.25)):
    eager = model.predict(x, scale)
    replayed = graphed(x, scale=scale, name=f"step {step}")
    print("replay", replayed.tolist(), "eager", eager.tolist())
