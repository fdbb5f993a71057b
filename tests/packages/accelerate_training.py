"""accelerate prepares a model in mixed precision and accumulates gradients; a prepared training step runs in a graph."""

import torch
from accelerate import Accelerator
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def prepared(accelerator):
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, capturable=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 0.9**step)
    data = TensorDataset(torch.randn(32, 16), torch.randint(0, 4, (32,)))
    return accelerator.prepare(model, optimizer, DataLoader(data, batch_size=8), scheduler)


def eagerly(accelerator):
    model, optimizer, loader, scheduler = prepared(accelerator)
    for inputs, labels in loader:
        with accelerator.accumulate(model):
            loss = nn.functional.cross_entropy(model(inputs), labels)
            accelerator.backward(loss)
            accelerator.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            scheduler.step()
            optimizer.zero_grad()
    return accelerator.gather(loss.detach()).mean().item()


def in_a_graph(accelerator):
    model, optimizer, loader, _ = prepared(accelerator)
    inputs = torch.randn(8, 16, device=accelerator.device)
    labels = torch.randint(0, 4, (8,), device=accelerator.device)

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = nn.functional.cross_entropy(model(inputs), labels)
        accelerator.backward(loss)
        optimizer.step()
        return loss

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(3):
            step()
    torch.cuda.current_stream().wait_stream(side)
    optimizer.zero_grad(set_to_none=True)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        loss = step()
    for new_inputs, new_labels in loader:
        inputs.copy_(new_inputs)
        labels.copy_(new_labels)
        graph.replay()
    return loss.item()


def main():
    print(eagerly(Accelerator(mixed_precision="bf16", gradient_accumulation_steps=2)))
    print(in_a_graph(Accelerator()))


if __name__ == "__main__":
    main()
