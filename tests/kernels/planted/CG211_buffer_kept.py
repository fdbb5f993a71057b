"""A server hands rows of the buffer out that its kernel writes, which was made before the capture, and answers with them later."""

import torch
import triton
import triton.language as tl


@triton.jit
def double(x, y, COLUMNS: tl.constexpr):
    at = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    tl.store(y + at, tl.load(x + at) * 2)


class Server:
    def __init__(self):
        self.x, self.y = torch.zeros(2, 16, device="cuda"), torch.zeros(2, 16, device="cuda")
        self.run()
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.run()
        self.replies = {}

    def run(self):
        double[(2,)](self.x, self.y, COLUMNS=16)

    def serve(self, names):
        self.x.copy_(torch.tensor(names, dtype=torch.float32)[:, None])
        self.graph.replay()  # cgsan: CG211
        for name, row in zip(names, self.y, strict=True):
            self.replies[name] = row


server = Server()
for first in (1, 3, 5, 7):
    server.serve([first, first + 1])
print("replay", [it[0].item() for it in server.replies.values()], "eager", list(range(2, 18, 2)))
