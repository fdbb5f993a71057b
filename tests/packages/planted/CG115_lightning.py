"""PyTorch Lightning trains a graphed callable that draws noise from a generator of its own."""

import pytorch_lightning as pl
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Noise(nn.Module):
    def __init__(self):
        super().__init__()
        self.generator = torch.Generator("cuda")

    def forward(self, x):
        noise = torch.empty_like(x).normal_(generator=self.generator)  # cgsan: CG115
        return x + noise


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(nn.Linear(16, 32), Noise(), nn.Linear(32, 4))

    def on_train_start(self):
        sample = torch.randn(8, 16, device=self.device)
        self.graphed = torch.cuda.make_graphed_callables(self.network, (sample,))

    def training_step(self, batch, _):
        inputs, labels = batch
        return nn.functional.cross_entropy(self.graphed(inputs), labels)

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    data = TensorDataset(torch.randn(32, 16), torch.randint(0, 4, (32,)))
    trainer = pl.Trainer(
        accelerator="gpu",
        devices=1,
        max_epochs=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
    )
    trainer.fit(Classifier(), DataLoader(data, batch_size=8))


if __name__ == "__main__":
    main()
