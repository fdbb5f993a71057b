"""Training to a loss curve, eagerly and captured, and a small Llama's greedy tokens: recorded on a GPU, compared elsewhere.

`curves.py record` writes this GPU's losses to `recorded/curves.json`. Without an argument, they are computed again: it fails where they
differ by more than `TOLERANCE`, or where tokens differ at all.
"""

import json
import pathlib
import sys

import torch
from torch import nn

STEPS = 12
# Relative: sums are added up in another order, and steps carry the difference on. Batch normalization over few images makes more of it.
TOLERANCE = {"resnet": 3e-2, "transformer": 1e-3, "lstm": 1e-5, "experts": 1e-5}
RECORDED = pathlib.Path(__file__).with_name("recorded") / "curves.json"


def seeded(module):
    """Gives parameters numbers of the CPU's that depend on their names alone."""
    for place, (_, parameter) in enumerate(sorted(module.named_parameters())):
        generator = torch.Generator().manual_seed(place)
        numbers = torch.randn(parameter.shape, generator=generator)
        with torch.no_grad():
            fan = parameter[0].numel() if parameter.dim() > 1 else 100
            is_scale = parameter.dim() == 1 and parameter.eq(1).all()
            parameter.copy_(numbers / fan**0.5 + (1 if is_scale else 0))
    return module.cuda()


def inputs(*shape, seed=1):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).cuda()


class Training:
    """A model with its optimizer, whose step is a function of memory that stays where it is."""

    def __init__(self, model, batches, loss, optimizer, scaled=False):
        self.model, self.batches, self._loss, self.optimizer = model, batches, loss, optimizer
        self.scaler = torch.amp.GradScaler("cuda", init_scale=256.0) if scaled else None
        self.input = batches[0].clone()

    def step(self):
        self.optimizer.zero_grad()
        with torch.autocast("cuda", torch.float16, enabled=self.scaler is not None):
            loss = self._loss(self.model, self.input)
        if self.scaler is None:
            loss.backward()
            self.optimizer.step()
        else:
            self.scaler.scale(loss).backward()
            self.scaler.step(self.optimizer)
            self.scaler.update()
        return loss.detach()


def resnet():
    from torchvision.models import resnet18

    model = seeded(resnet18(num_classes=10))
    labels = torch.arange(8).cuda()
    batches = [inputs(8, 3, 64, 64, seed=it) for it in range(STEPS)]
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
    return Training(
        model, batches, lambda it, x: nn.functional.cross_entropy(it(x), labels), optimizer
    )


def transformer():
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.1, batch_first=True)
    model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
    for it in model.layers:
        # Attention drops out by random numbers of its own kernel.
        it.self_attn.dropout = 0.0
    batches = [inputs(4, 16, 32, seed=it) for it in range(STEPS)]
    model = seeded(model)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, capturable=True, fused=True)
    return Training(
        model, batches, lambda it, x: (it(x) - x.flip(1)).square().mean(), optimizer, scaled=True
    )


class Recurrent(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(16, 24, num_layers=2, batch_first=True)
        self.head = nn.Linear(24, 16)

    def forward(self, x):
        return self.head(self.lstm(x)[0])


def lstm():
    model = seeded(Recurrent())
    batches = [inputs(4, 10, 16, seed=it) for it in range(STEPS)]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2, capturable=True, fused=True)
    return Training(model, batches, lambda it, x: (it(x) - x.roll(1, 1)).square().mean(), optimizer)


class Experts(nn.Module):
    """Each token goes to the best of four experts, all of which compute it: nothing's shape depends on values."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(16, 4)
        self.experts = nn.ModuleList(
            nn.Sequential(nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 16)) for _ in range(4)
        )

    def forward(self, x):
        weights, chosen = self.gate(x).softmax(-1).topk(2)
        outputs = torch.stack([it(x) for it in self.experts], -2)
        return x + (weights.unsqueeze(-1) * outputs.take_along_dim(chosen.unsqueeze(-1), -2)).sum(
            -2
        )


def experts():
    model = seeded(Experts())
    batches = [inputs(8, 5, 16, seed=it) for it in range(STEPS)]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2, capturable=True, foreach=True)
    return Training(model, batches, lambda it, x: (it(x) - x.tanh()).square().mean(), optimizer)


BUILDERS = {"resnet": resnet, "transformer": transformer, "lstm": lstm, "experts": experts}


def eager(training):
    losses = []
    for batch in training.batches:
        training.input.copy_(batch)
        losses.append(training.step().item())
    return losses


def captured(training):
    """The first three steps are the warm-up on a side stream; the others are replays."""
    losses = []
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for batch in training.batches[:3]:
            training.input.copy_(batch)
            losses.append(training.step().item())
    torch.cuda.current_stream().wait_stream(side)
    training.optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = training.step()
    for batch in training.batches[3:]:
        training.input.copy_(batch)
        graph.replay()
        losses.append(loss.item())
    return losses


def tokens():
    """Greedy tokens of a small Llama with a static cache, whose step is captured by hand."""
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

    config = LlamaConfig(
        vocab_size=97,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        attn_implementation="sdpa",
    )
    model = seeded(LlamaForCausalLM(config)).eval()
    cache = StaticCache(config=config, max_cache_len=32)
    prompt = torch.tensor([[5, 17, 3, 60]], device="cuda")
    found = []
    with torch.inference_mode():
        positions = torch.arange(4, device="cuda")
        logits = model(prompt, past_key_values=cache, cache_position=positions).logits
        token = logits[:, -1:].argmax(-1)
        position = torch.tensor([4], device="cuda")

        def step():
            out = model(
                token, past_key_values=cache, cache_position=position, position_ids=position[None]
            ).logits
            token.copy_(out[:, -1:].argmax(-1))
            position.add_(1)

        found.append(token.item())
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            step()
        torch.cuda.current_stream().wait_stream(side)
        found.append(token.item())
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()
        for _ in range(20):
            graph.replay()
            found.append(token.item())
    return found


def measured():
    # By default, convolutions on a GPU round their factors to ten bits.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.deterministic = True
    found = {}
    for name, build in BUILDERS.items():
        for way in eager, captured:
            torch.manual_seed(11)
            found[f"{name} {way.__name__}"] = way(build())
    found["tokens"] = tokens()
    return found


def differences(mine, theirs):
    for name, curve in theirs.items():
        if name == "tokens":
            if mine[name] != curve:
                yield f"tokens are {mine[name]} instead of {curve}"
            continue
        allowed = TOLERANCE[name.split()[0]]
        apart = max(
            abs(one - other) / abs(other) for one, other in zip(mine[name], curve, strict=True)
        )
        print(
            f"{name}: {curve[0]:.4f} to {curve[-1]:.4f}, at most {apart:.2e} apart (allowed {allowed:.0e})"
        )
        if not apart <= allowed:
            yield f"{name}: {mine[name]} instead of {curve}"


def main():
    mine = measured()
    if sys.argv[1:] == ["record"]:
        of = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__}
        RECORDED.write_text(json.dumps({**of, "curves": mine}, indent=1) + "\n")
    else:
        problems = list(differences(mine, json.loads(RECORDED.read_text())["curves"]))
        sys.exit("\n".join(problems) or None)


if __name__ == "__main__":
    main()
