import torch


class Renderer:
    def __init__(self):
        self.sharpen = False
        self.frame = torch.zeros(3, 720, 1280, device="cuda")
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.shown = self.develop()

    def develop(self):
        light = self.frame.clamp(0, 1).sqrt()
        if self.sharpen:  # cgsan: CG201
            light = light * 1.5 - light.mean(dim=(1, 2), keepdim=True) * 0.5
        return light


renderer = Renderer()
renderer.graph.replay()
print(renderer.shown.mean().item())
renderer.sharpen = True
renderer.graph.replay()
print(renderer.shown.mean().item())
