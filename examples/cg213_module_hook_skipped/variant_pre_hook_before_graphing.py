"""A hook that was there before graphing runs in the warm-up and the capture, and not at the replays."""

import torch


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.tokens = 0

        def count(module, args):  # cgsan: label
            self.tokens += len(args[0])

        self.inner.register_forward_pre_hook(count)

    def forward(self, x):
        return self.inner(x).relu()


block, reference = Block().cuda(), Block().cuda()
x = torch.ones(2, 4, device="cuda")
graphed = torch.cuda.make_graphed_callables(block, (x,))
block.tokens = 0
for _ in range(3):
    graphed(x)  # cgsan: CG213
    reference(x)
print("replay", [block.tokens], "eager", [reference.tokens])
