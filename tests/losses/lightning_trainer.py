"""Lightning's Trainer trains a classifier, the middle of which may be a graphed callable."""

import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from ways import DEVICE, IS_CAPTURED, say


class Classifier(lightning.LightningModule):
    """Linear layers."""

    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(16, 32), nn.Linear(32, 4)
        self.middle = nn.Sequential(nn.LayerNorm(32), nn.Linear(32, 32), nn.SiLU()).to(DEVICE)
        if IS_CAPTURED:
            sample = torch.randn(8, 32, device=DEVICE, requires_grad=True)
            self.middle = torch.cuda.make_graphed_callables(self.middle, (sample,))

    def training_step(self, batch, _):
        x, classes = batch
        loss = nn.functional.cross_entropy(self.last(self.middle(self.first(x))), classes)
        say(loss)
        return loss

    def configure_optimizers(self):
        optimizer = torch.optim.Adam(self.parameters(), lr=1e-2)
        return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)]


data = TensorDataset(torch.randn(32, 16), torch.randint(0, 4, (32,)))
trainer = lightning.Trainer(
    accelerator="cpu" if DEVICE == "cpu" else "gpu",
    devices=1,
    max_epochs=2,
    gradient_clip_val=0.5,
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Classifier(), DataLoader(data, batch_size=8))
