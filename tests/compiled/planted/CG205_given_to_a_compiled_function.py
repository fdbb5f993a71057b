"""A number that callers give changes from call to call, and goes into what a compiled function launches: replays keep the captured one."""

import torch


@torch.compile(dynamic=True)  # cgsan: CG205
def guided(conditional, unconditional, guidance: float):
    return unconditional + guidance * (conditional - unconditional)


class Pipeline:
    def __init__(self):
        self.model = torch.nn.Linear(8, 8).cuda()
        self.x = torch.zeros(2, 8, device="cuda")

    def step(self, x, guidance):
        return guided(self.model(x), self.model(x * 0), guidance)

    def capture(self, guidance):
        for number in (guidance, guidance + 1, guidance):
            self.step(self.x, number)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.out = self.step(self.x, guidance)


def main():
    pipeline = Pipeline()
    pipeline.capture(7.5)
    for guidance in (7.5, 3.0, 1.0):
        pipeline.x.normal_()
        pipeline.graph.replay()
        eager = pipeline.step(pipeline.x, guidance)
        print(guidance, (pipeline.out - eager).abs().max().item())


with torch.no_grad():
    main()
