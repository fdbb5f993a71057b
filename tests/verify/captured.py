"""What `cgsan.verify(graph)` says of graphs that `with torch.cuda.graph(…)` blocks captured."""

import pathlib

import cgsan
import torch


def captured(region):
    """The graph of a region, captured after a call of it."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        region()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        region()
    return graph


class Step:
    def __init__(self):
        self.x = torch.ones(8, device="cuda")
        self.y = torch.zeros(8, device="cuda")
        self.scale = 2.0
        self.clamps = False

    def __call__(self):
        value = self.x * self.scale  # number
        if self.clamps:
            value = value.clamp(max=1.0)
        self.y.copy_(value)


def mismatch(graph, id, text):
    try:
        cgsan.verify(graph)
    except cgsan.Mismatch as error:
        assert error.outcome.id == id and text in str(error), error
        return error.outcome
    raise AssertionError(f"no mismatch: {id}")


def undecided(graph, text):
    try:
        cgsan.verify(graph)
    except cgsan.Undecided as error:
        assert text in str(error), error
        assert cgsan.verify(graph, check=False).result == "undecided"
        return
    raise AssertionError("it was decided")


def decided():
    step = Step()
    graph = captured(step)
    outcome = cgsan.verify(graph)
    assert outcome.ok and outcome.operators == 2, outcome
    graph.replay()
    assert cgsan.verify(graph).ok

    step.scale = 3.0
    outcome = mismatch(graph, "CG205", "the capture gave `mul` 2.0, eager now would give it 3.0")
    assert outcome.place.code.endswith("# number")
    step.scale = 2.0
    assert cgsan.verify(graph).ok

    step.clamps = True
    mismatch(graph, "CG201", "clamp")
    step.clamps = False

    before = step.x
    step.x = torch.ones(8, device="cuda")
    assert cgsan.verify(graph).ok, "it holds what the captured one holds"
    step.x = torch.zeros(8, device="cuda")
    mismatch(graph, "CG203", "another one")
    before.copy_(step.x)
    assert cgsan.verify(graph).ok, "what it holds was copied into the captured one"
    graph.replay()  # What was asked changed nothing.
    assert step.y.tolist() == [0.0] * 8, step.y

    step.x = torch.ones(16, device="cuda")
    mismatch(graph, "CG207", "eager now would work on 16")
    step.x = torch.ones(8, device="cuda", dtype=torch.float64)
    mismatch(graph, "CG201", "the capture gave `mul` a tensor of torch.float32")
    step.x = torch.ones(4, device="cuda")
    undecided(graph, "size 4 in place of 8")

    step.x = torch.zeros(8, device="cuda")
    del before
    undecided(graph, "to which no name leads any more")


def clip(module, args, output):
    return output.clamp(max=0.1)


def modes_and_hooks():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.5)).cuda()
    x, y = torch.ones(2, 8, device="cuda"), torch.zeros(2, 8, device="cuda")
    with torch.no_grad():
        graph = captured(lambda: y.copy_(model(x)))
        assert cgsan.verify(graph).ok
        with torch.autocast("cuda", torch.bfloat16):
            mismatch(graph, "CG201", "was off at the capture, and is torch.bfloat16 now")
        model.eval()
        mismatch(graph, "CG201", ".training` was True at the capture, and is False now")
        model.train()
        hook = model[0].register_forward_hook(clip)
        mismatch(graph, "CG213", "the forward hook `clip`, which was registered after the capture")
        hook.remove()
        assert cgsan.verify(graph).ok


def lengths_of_the_host():
    lengths = [1.0, 2.0, 3.0]
    y = torch.zeros(3, device="cuda")

    def step():
        y.copy_(torch.tensor(lengths).pin_memory(), non_blocking=True)

    graph = captured(step)
    assert cgsan.verify(graph).ok
    lengths[2] = 4.0
    mismatch(
        graph, "CG220", "holds [1.0, 2.0, 3.0], eager now would give it one with [1.0, 2.0, 4.0]"
    )


def parameters_that_learn_since():
    model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Linear(8, 8)).cuda()
    model[0].requires_grad_(False)
    x = torch.ones(2, 8, device="cuda")
    graph = captured(lambda: model(x).sum().backward())
    assert cgsan.verify(graph).ok
    model[0].requires_grad_(True)
    model(x).sum().backward()
    mismatch(graph, "CG222", "eager now would compute gradients of `model[0].weight` and 1 more")


def begin(graph):
    graph.capture_begin()


def not_decided():
    x = torch.ones(8, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.stream(torch.cuda.Stream()):
        begin(graph)
        x.add_(1)
        graph.capture_end()
    undecided(graph, "no block of its code begins and ends the capture")
    undecided(torch.cuda.CUDAGraph(), "its capture was not seen")

    opened = captured(lambda: x.add_(len(pathlib.Path(__file__).read_text()) * 0))
    undecided(opened, "a copy of the process cannot run")
    try:
        cgsan.verify(opened, x)
    except TypeError as error:
        assert "takes no inputs" in str(error)
    else:
        raise AssertionError("it took inputs")


def main():
    decided()
    modes_and_hooks()
    lengths_of_the_host()
    parameters_that_learn_since()
    not_decided()


if __name__ == "__main__":
    main()
