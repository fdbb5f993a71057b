"""Liger's kernels of Triton in a tiny Llama, beside its own layers on the CPU."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM
from ways import DEVICE, adamw, train

if DEVICE == "cuda":
    from liger_kernel.transformers import apply_liger_kernel_to_llama

    apply_liger_kernel_to_llama()
config = LlamaConfig(
    vocab_size=64,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=1,
    num_attention_heads=2,
    num_key_value_heads=1,
    use_cache=False,
    initializer_range=0.2,
)
model = LlamaForCausalLM(config).to(DEVICE)
batches = [(torch.randint(0, 64, (2, 8)),) for _ in range(2)]
train(
    model,
    adamw(model.parameters()),
    batches,
    lambda model, ids: model(input_ids=ids, labels=ids).loss,
)
