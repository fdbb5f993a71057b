"""The Trainer of transformers trains GPT-2, whose feed-forward layers may be graphed callables."""

import tempfile

import torch
from transformers import GPT2Config, GPT2LMHeadModel, Trainer, TrainingArguments
from ways import DEVICE, IS_CAPTURED, say

config = GPT2Config(
    vocab_size=128,
    n_positions=32,
    n_embd=32,
    n_layer=2,
    n_head=2,
    resid_pdrop=0.0,
    embd_pdrop=0.0,
    attn_pdrop=0.0,
    bos_token_id=0,
    eos_token_id=0,
)
model = GPT2LMHeadModel(config).to(DEVICE)
tokens = torch.randint(0, 128, (16, 12))
data = [{"input_ids": row, "labels": row} for row in tokens]
if IS_CAPTURED:
    sample = torch.randn(4, 12, 32, device=DEVICE)
    # Each graph has an input of its own: what one layer was given, its gradient needs.
    for layer in model.transformer.h:
        layer.mlp = torch.cuda.make_graphed_callables(layer.mlp, (sample.clone().requires_grad_(),))
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
