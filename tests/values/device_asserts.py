"""Numbers that kernels refuse. Each case runs in a process of its own, since the device is lost afterwards: what an H100 with PyTorch
2.11 does with it stands beside it."""

import torch
import torch.nn.functional as F
from lost_devices import all_as_on_a_gpu, raised

ASSERT = "AcceleratorError: CUDA error: device-side assert triggered"
BAD = [1, 12]


def on_gpu(*numbers):
    return torch.tensor(numbers, device="cuda")


def table():
    return torch.arange(40.0, device="cuda").view(10, 4)


CASES = {
    "index": lambda: table()[on_gpu(*BAD)],
    "index_put": lambda: table().__setitem__(on_gpu(*BAD), 1.0),
    "index_select": lambda: table().index_select(0, on_gpu(*BAD)),
    "gather": lambda: torch.gather(on_gpu(1.0, 2.0), 0, on_gpu(*BAD)),
    "scatter_add": lambda: on_gpu(1.0, 2.0).scatter_add_(0, on_gpu(*BAD), on_gpu(1.0, 1.0)),
    "embedding": lambda: F.embedding(on_gpu(*BAD), table()),
    "cross_entropy": lambda: F.cross_entropy(table(), torch.full((10,), 7, device="cuda")),
    "bernoulli": lambda: torch.bernoulli(on_gpu(0.5, 1.7)),
    "multinomial": lambda: torch.multinomial(on_gpu(0.5, -0.1), 1),
    "one_hot": lambda: F.one_hot(on_gpu(*BAD), 10),
    "compiled": lambda: torch.compile(lambda table, it: table[it] * 2)(table(), on_gpu(1, 1 << 40)),
}
RIGHT = {
    "negative indexes": lambda: table()[on_gpu(-1, -10)],
    "ignored targets": lambda: F.cross_entropy(table(), torch.full((10,), -100, device="cuda")),
    "cholesky_ex": lambda: torch.linalg.cholesky_ex(-torch.eye(2, device="cuda")),
    "a positive-definite matrix": lambda: torch.linalg.cholesky(torch.eye(2, device="cuda")),
    "every probability": lambda: torch.bernoulli(on_gpu(0.0, 1.0)),
}
NOT_POSITIVE = "linalg.cholesky: The factorization could not be completed because the input is not positive-definite"
RAISED_AT_THE_CALL = {
    "cholesky": (lambda: torch.linalg.cholesky(-torch.eye(2, device="cuda")), NOT_POSITIVE),
    "cholesky_ex": (
        lambda: torch.linalg.cholesky_ex(-torch.eye(2, device="cuda"), check_errors=True),
        NOT_POSITIVE.replace("cholesky", "cholesky_ex"),
    ),
    "inv": (
        lambda: torch.linalg.inv(torch.zeros(2, 2, device="cuda")),
        "linalg.inv: The diagonal element 1 is zero",
    ),
    "solve": (
        lambda: torch.linalg.solve(torch.zeros(2, 2, device="cuda"), on_gpu(1.0, 1.0)),
        "torch.linalg.solve: The solver failed because the input matrix is singular",
    ),
    "eigh": (
        lambda: torch.linalg.eigh(torch.full((3, 3), float("nan"), device="cuda")),
        "linalg.eigh: ",
    ),
    "bincount": (lambda: torch.bincount(on_gpu(1, -1)), "bincount only supports 1-d non-negative"),
}


def fails_late(case, function):
    """The call succeeds unless it waits by itself; from then on everything fails that uses the device."""
    early = raised(function)
    assert early == "nothing" or early.startswith(ASSERT), (case, early)
    for used in (torch.cuda.synchronize, torch.cuda.synchronize, table):
        late = raised(used)
        assert late.startswith(ASSERT), (case, used, late)


def eager(case):
    fails_late(case, CASES[case])


def captured(case):
    """The graph is right until its input is not."""
    index = on_gpu(1, 2)
    values = table()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        F.embedding(index, values)
    graph.replay()
    torch.cuda.synchronize()
    index.copy_(torch.tensor(BAD))
    torch.cuda.synchronize()
    fails_late(case, graph.replay)


def right(case):
    error = raised(RIGHT[case])
    assert error == "nothing", (case, error)
    torch.cuda.synchronize()


def raised_at_the_call(case):
    function, text = RAISED_AT_THE_CALL[case]
    error = raised(function)
    assert text in error, (case, error)
    torch.cuda.synchronize()


def main():
    checks = [(eager, case) for case in CASES]
    checks += [(captured, "embedding")]
    checks += [(right, case) for case in RIGHT]
    checks += [(raised_at_the_call, case) for case in RAISED_AT_THE_CALL]
    all_as_on_a_gpu(checks)


if __name__ == "__main__":
    main()
