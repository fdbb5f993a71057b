"""What `cgsan.verify` raises and what it leaves: a message with the line and the cause, and the state as it was."""

import cgsan
import torch

MESSAGE = """\
replay 2 of `Sampler.forward` computes something else than the eager call
  --> {file}:{line}
   |
{line} |         return logits / self.temperature
   |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ `aten.div.Tensor` is the first operator that differs
   |
  = values: expected 0.0625, got 0.125 at [0]; 4 of 4 elements differ, by up to 0.0625
  = cause: the graph holds 16.0; eager run 2 gave it 32.0
  = more: `cgsan explain CG205`
  = differs: `result`: expected 0.0625, got 0.125 at [0]; 4 of 4 elements differ, by up to 0.0625
  = host: eager calls take `self.temperature` from 8.0 to 64.0, replays leave it"""


class Sampler(torch.nn.Module):
    temperature = 1.0

    def __init__(self):
        super().__init__()
        self.temperature = 1.0
        self.last = None

    def forward(self, logits):
        self.temperature *= 2
        self.last = logits
        return logits / self.temperature


def raised_by(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"no {kind.__name__} was raised")


def wrong_region():
    sampler = Sampler()
    x = torch.full((4,), 2.0, device="cuda")
    error = raised_by(cgsan.Mismatch, lambda: cgsan.verify(sampler.forward, x, also=()))
    assert isinstance(error, AssertionError)
    place = error.outcome.first.place
    assert place.code.strip() == "return logits / self.temperature"
    assert str(error) == MESSAGE.format(file=str(place).rpartition(":")[0], line=place.line), (
        f"\n{error}"
    )
    # All is as it was.
    assert sampler.temperature == 1.0 and sampler.last is None and x.tolist() == [2.0] * 4


def right_region():
    state = torch.cuda.get_rng_state()
    outcome = cgsan.verify(torch.nn.functional.dropout, torch.ones(64, device="cuda"))
    assert outcome.ok and str(outcome) == "`dropout`: 3 replays leave what eager calls leave"
    assert torch.equal(torch.cuda.get_rng_state(), state)


def state_out_of_reach():
    numbers = iter(range(1, 100))
    x = torch.ones(4, device="cuda")
    error = raised_by(cgsan.Undecided, lambda: cgsan.verify(lambda it: it * next(numbers), x))
    assert "two eager runs from the same state do not agree" in str(error)


def capture_fails():
    x = torch.ones(4, device="cuda")
    state = torch.zeros(4, device="cuda")

    def step(x):
        state.add_(x)
        return x * x.sum().item()

    raised_by(torch.AcceleratorError, lambda: cgsan.verify(step, x))
    assert state.tolist() == [0.0] * 4


def wrong_arguments():
    x = torch.ones(4, device="cuda")
    raised_by(ValueError, lambda: cgsan.verify(torch.neg, x, rtol=1e-3))
    raised_by(ValueError, lambda: cgsan.verify(torch.neg, x, replays=0))
    raised_by(ValueError, lambda: cgsan.verify(lambda: x.shape))
    raised_by(
        ValueError, lambda: cgsan.verify(torch.neg, x, also=[(torch.ones(5, device="cuda"),)])
    )


def main():
    wrong_region()
    right_region()
    state_out_of_reach()
    wrong_arguments()
    capture_fails()


if __name__ == "__main__":
    main()
