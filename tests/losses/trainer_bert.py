"""The Trainer of transformers trains BERT to fill masks in, with pieces of its layers as graphed callables if captured."""

import tempfile

import torch
from transformers import BertConfig, BertForMaskedLM, Trainer, TrainingArguments
from ways import DEVICE, IS_CAPTURED, say

config = BertConfig(
    vocab_size=128,
    hidden_size=32,
    num_hidden_layers=2,
    num_attention_heads=2,
    intermediate_size=64,
    max_position_embeddings=32,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)
model = BertForMaskedLM(config).to(DEVICE)
tokens = torch.randint(1, 128, (16, 12))
hidden = torch.rand(16, 12) < 0.3
lengths = torch.randint(8, 13, (16, 1))
data = [
    {
        "input_ids": row.masked_fill(mask, 0),
        "labels": row.masked_fill(~mask, -100),
        "attention_mask": seen,
    }
    for row, mask, seen in zip(tokens, hidden, (torch.arange(12) < lengths).long(), strict=True)
]
if IS_CAPTURED:
    sample = torch.randn(4, 12, 32, device=DEVICE)
    # Each graph has an input of its own: what one layer was given, its gradient needs.
    for layer in model.bert.encoder.layer:
        layer.intermediate = torch.cuda.make_graphed_callables(
            layer.intermediate, (sample.clone().requires_grad_(),)
        )
with tempfile.TemporaryDirectory() as folder:
    arguments = TrainingArguments(
        output_dir=folder,
        per_device_train_batch_size=4,
        num_train_epochs=2,
        learning_rate=1e-2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        use_cpu=DEVICE == "cpu",
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=data)
    trainer.train()
for entry in trainer.state.log_history:
    if "loss" in entry:
        say(float(entry["loss"]), float(entry["grad_norm"]))
