"""Trains a model: `values.py MODEL cpu|cuda|replays`. Prints the nanoseconds of a step and the most memory the process had."""

import resource
import sys
import time

import torch
from torch import nn

STEPS = 10
WARM_UP = 5
# Replays before those that are measured: at some of the first ones, a copy of the process runs the captured code.
FIRST_REPLAYS = 20


def small():
    """Some two hundred small operators forward: a transformer, whose operators take microseconds each."""
    layer = nn.TransformerEncoderLayer(64, 4, 128, dropout=0.1, batch_first=True)
    encoder = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)
    return nn.Sequential(encoder, nn.Linear(64, 64)), torch.randn(8, 32, 64), (8, 32, 64)


def large():
    """Few operators that take milliseconds each."""
    layers = [nn.Linear(2048, 2048), nn.ReLU()] * 4
    model = nn.Sequential(nn.Conv2d(8, 32, 3, padding=1), nn.ReLU(), nn.Flatten(2), *layers)
    return model, torch.randn(4, 8, 32, 64), (4, 32, 2048)


def perceptron():
    """Three layers."""
    layers = [nn.Linear(256, 1024), nn.GELU(), nn.Linear(1024, 1024), nn.GELU()]
    return nn.Sequential(*layers, nn.Linear(1024, 64)), torch.randn(64, 256), (64, 64)


def convolutions():
    """Convolutions with batch normalization."""
    blocks = [
        layer
        for width in (32, 64, 128)
        for layer in (nn.LazyConv2d(width, 3, stride=2), nn.LazyBatchNorm2d(), nn.ReLU())
    ]
    model = nn.Sequential(*blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 10))
    images = torch.randn(16, 3, 32, 32)
    model(images)
    return model, images, (16, 10)


def resnet():
    """torchvision's ResNet-18 on small images."""
    from torchvision.models import resnet18

    return resnet18(num_classes=10), torch.randn(8, 3, 64, 64), (8, 10)


def vision_transformer():
    """torchvision's vision transformer, with few layers."""
    from torchvision.models import VisionTransformer

    model = VisionTransformer(
        image_size=32, patch_size=8, num_layers=4, num_heads=4, hidden_dim=128, mlp_dim=256
    )
    return model, torch.randn(8, 3, 32, 32), (8, 1000)


class _Last(nn.Module):
    """The hidden states of a model that gives back several things."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x):
        found = self.model(x)
        return found[0] if isinstance(found, tuple) else found.last_hidden_state


def recurrent():
    """An LSTM of two layers."""
    return _Last(nn.LSTM(64, 128, 2, batch_first=True)), torch.randn(16, 32, 64), (16, 32, 128)


def _tokens():
    return torch.randint(0, 256, (4, 64))


def llama():
    """transformers' Llama, with few layers."""
    from transformers import LlamaConfig, LlamaModel

    config = LlamaConfig(
        vocab_size=256,
        hidden_size=128,
        intermediate_size=256,
        num_hidden_layers=4,
        num_attention_heads=4,
        num_key_value_heads=2,
        use_cache=False,
    )
    return _Last(LlamaModel(config)), _tokens(), (4, 64, 128)


def gpt2():
    """transformers' GPT-2, with few layers, and dropout."""
    from transformers import GPT2Config, GPT2Model

    size = {"n_positions": 64, "n_embd": 128, "n_layer": 4, "n_head": 4}
    config = GPT2Config(vocab_size=256, bos_token_id=0, eos_token_id=0, **size)
    model = GPT2Model(config)
    model.config.use_cache = False
    return _Last(model), _tokens(), (4, 64, 128)


def bert():
    """transformers' BERT, with few layers, and dropout."""
    from transformers import BertConfig, BertModel

    config = BertConfig(
        vocab_size=256,
        hidden_size=128,
        num_hidden_layers=4,
        num_attention_heads=4,
        intermediate_size=256,
        max_position_embeddings=64,
    )
    return _Last(BertModel(config, add_pooling_layer=False)), _tokens(), (4, 64, 128)


MODELS = {
    made.__name__: made
    for made in (
        small,
        large,
        perceptron,
        convolutions,
        resnet,
        vision_transformer,
        recurrent,
        llama,
        gpt2,
        bert,
    )
}

name, where = sys.argv[1:]
device = "cpu" if where == "cpu" else "cuda"
torch.manual_seed(0)
model, x, shape = MODELS[name]()
model, x, y = model.to(device), x.to(device), torch.randn(shape).to(device)
optimizer = torch.optim.AdamW(model.parameters(), capturable=where == "replays")


def step():
    optimizer.zero_grad(set_to_none=True)
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    return loss


def warm_up():
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(WARM_UP):
            step()
    torch.cuda.current_stream().wait_stream(stream)


if where == "replays":
    warm_up()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()

    def run():
        graph.replay()
        return loss

    for _ in range(FIRST_REPLAYS):
        run()

else:
    run = step
    for _ in range(WARM_UP):
        run()
run().item()
start = time.perf_counter_ns()
for _ in range(STEPS):
    loss = run()
loss.item()
nanoseconds = (time.perf_counter_ns() - start) // STEPS
print(nanoseconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
