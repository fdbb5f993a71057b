"""The DPO trainer of trl prefers some completions to others, beside a tiny Llama that stays."""

import tempfile

import torch
from datasets import Dataset
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast
from trl import DPOConfig, DPOTrainer
from ways import DEVICE, IS_CAPTURED, say

words = ["<pad>", "<eos>", "<unk>", *(f"w{number}" for number in range(125))]
parts = Tokenizer(models.WordLevel({word: at for at, word in enumerate(words)}, unk_token="<unk>"))
parts.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
tokenizer = PreTrainedTokenizerFast(
    tokenizer_object=parts, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>"
)


def llama():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        pad_token_id=0,
        eos_token_id=1,
        bos_token_id=None,
        initializer_range=0.2,
    )
    return LlamaForCausalLM(config).to(DEVICE)


def sentence(count):
    return " ".join(f"w{number}" for number in torch.randint(0, 125, (count,)).tolist())


rows = [
    {"prompt": sentence(4), "chosen": " " + sentence(6), "rejected": " " + sentence(6)}
    for _ in range(16)
]
model = llama()
if IS_CAPTURED:
    sample = torch.randn(8, 11, 32, device=DEVICE)
    # Each graph has an input of its own: what one layer was given, its gradient needs.
    for layer in model.model.layers:
        layer.mlp = torch.cuda.make_graphed_callables(layer.mlp, (sample.clone().requires_grad_(),))
with tempfile.TemporaryDirectory() as folder:
    arguments = DPOConfig(
        output_dir=folder,
        per_device_train_batch_size=4,
        num_train_epochs=2,
        learning_rate=1e-2,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        disable_tqdm=True,
        bf16=False,
        gradient_checkpointing=False,
        use_cpu=DEVICE == "cpu",
    )
    trainer = DPOTrainer(
        model=model,
        ref_model=llama(),
        args=arguments,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
    )
    trainer.train()
for entry in trainer.state.log_history:
    if "loss" in entry:
        say(*(float(entry[name]) for name in ("loss", "grad_norm", "rewards/margins")))
