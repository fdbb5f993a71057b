"""LoRA of peft on a tiny Llama: a whole training step, which is captured."""

import torch
from peft import LoraConfig, get_peft_model
from transformers import LlamaConfig, LlamaForCausalLM
from ways import DEVICE, adamw, train

config = LlamaConfig(
    vocab_size=128,
    hidden_size=32,
    intermediate_size=64,
    num_hidden_layers=2,
    num_attention_heads=2,
    num_key_value_heads=1,
    use_cache=False,
    initializer_range=0.2,
)
lora = LoraConfig(
    r=4, lora_alpha=16, target_modules=["q_proj", "v_proj", "up_proj"], lora_dropout=0.0
)
model = get_peft_model(LlamaForCausalLM(config), lora).to(DEVICE)
batches = [(torch.randint(0, 128, (4, 10)),) for _ in range(4)]
trained = [it for it in model.parameters() if it.requires_grad]
train(model, adamw(trained), batches, lambda model, ids: model(input_ids=ids, labels=ids).loss)
