"""PyTorch Lightning trains a module whose network is a graphed callable."""

import pytorch_lightning as pl
import torch
import torchmetrics
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Classifier(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.network = nn.Sequential(
            nn.Linear(16, 32), nn.GELU(), nn.Dropout(0.1), nn.Linear(32, 4)
        )
        self.accuracy = torchmetrics.classification.MulticlassAccuracy(4)

    def on_train_start(self):
        self.graphed = torch.cuda.make_graphed_callables(
            self.network, (torch.randn(8, 16, device=self.device),), allow_unused_input=True
        )

    def training_step(self, batch, _):
        inputs, labels = batch
        scores = self.graphed(inputs)
        loss = nn.functional.cross_entropy(scores, labels)
        self.accuracy.update(scores, labels)
        self.log("loss", loss, prog_bar=True)
        return loss

    def on_train_epoch_end(self):
        self.log("accuracy", self.accuracy.compute())
        self.accuracy.reset()

    def validation_step(self, batch, _):
        inputs, labels = batch
        self.log("validation", nn.functional.cross_entropy(self.network(inputs), labels))

    def configure_optimizers(self):
        return torch.optim.AdamW(self.parameters(), lr=1e-3)


def main():
    data = TensorDataset(torch.randn(32, 16), torch.randint(0, 4, (32,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, pin_memory=True)
    trainer = pl.Trainer(
        accelerator="gpu",
        devices=1,
        max_epochs=2,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        gradient_clip_val=1.0,
        log_every_n_steps=1,
    )
    trainer.fit(Classifier(), loader, loader)
    print(trainer.callback_metrics)


if __name__ == "__main__":
    main()
