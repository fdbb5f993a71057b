"""Graphs of one kernel for several sizes, of which each request takes the next larger one, and tables that are made at the first call."""

import torch
import triton
import triton.language as tl


@triton.jit
def mask_rows(x, y, length, table, COLUMNS: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, COLUMNS)
    value = tl.load(x + row * COLUMNS + at) * tl.load(table + row)
    tl.store(y + row * COLUMNS + at, tl.where(row < tl.load(length), value, 0.0))


@triton.jit
def fill(table, SIZE: tl.constexpr):
    at = tl.arange(0, SIZE)
    tl.store(table + at, at + 1.0)


class Runner:
    def __init__(self):
        self.x, self.y = torch.zeros(8, 16, device="cuda"), torch.zeros(8, 16, device="cuda")
        self.length = torch.zeros((), dtype=torch.int32, device="cuda")
        self.table = None
        self.graphs = {}
        for size in (8, 4, 2):
            self.forward(size)
            self.graphs[size] = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graphs[size]):
                self.forward(size)

    def forward(self, size):
        if self.table is None:
            self.table = torch.empty(8, device="cuda")
            fill[(1,)](self.table, SIZE=8)
        mask_rows[(size,)](self.x, self.y, self.length, self.table, COLUMNS=16)

    def run(self, rows):
        self.x[: len(rows)].copy_(rows)
        self.length.fill_(len(rows))
        self.graphs[min(size for size in self.graphs if size >= len(rows))].replay()
        return self.y[: len(rows)].clone()


runner = Runner()
for count in (1, 2, 3, 5, 8, 4):
    rows = torch.full((count, 16), float(count), device="cuda")
    want = rows * torch.arange(1.0, count + 1, device="cuda")[:, None]
    torch.testing.assert_close(runner.run(rows), want)
