"""transformers generates with tiny models: greedily, with a static cache, sampled, with beams, and with a mixture of experts."""

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MixtralConfig,
    MixtralForCausalLM,
    Qwen3Config,
    Qwen3ForCausalLM,
)

SIZES = {
    "vocab_size": 128,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "head_dim": 16,
    "max_position_embeddings": 64,
    "bos_token_id": None,
    "eos_token_id": None,
    "pad_token_id": 0,
}
PROMPT, NEW_TOKENS = 6, 3


def generate(model, prompt, **options):
    tokens = model.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=NEW_TOKENS, **options
    )
    assert tokens.shape == (2, PROMPT + NEW_TOKENS)
    assert tokens.ge(0).logical_and(tokens.lt(128)).all()
    return tokens.tolist()


def greedily(model, prompt, **options):
    return generate(model.eval().cuda(), prompt, do_sample=False, **options)


def main():
    torch.manual_seed(0)
    prompt = torch.randint(1, 128, (2, PROMPT), device="cuda")

    llama = LlamaForCausalLM(LlamaConfig(**SIZES))
    grown = greedily(llama, prompt)
    assert greedily(llama, prompt, cache_implementation="static") == grown

    qwen = Qwen3ForCausalLM(Qwen3Config(**SIZES)).to(torch.bfloat16).cuda().eval()
    generate(qwen, prompt, do_sample=True, top_p=0.9)
    generate(qwen, prompt, num_beams=2)

    # Experts by a loop over those that are hit, by one batched product, and by one product of groups.
    config = MixtralConfig(**SIZES, num_local_experts=4, num_experts_per_tok=2)
    mixtral = MixtralForCausalLM(config)
    generated = []
    for experts in ("eager", "batched_mm", "grouped_mm"):
        mixtral.set_experts_implementation(experts)
        generated.append(greedily(mixtral, prompt))
    assert generated[0] == generated[1] == generated[2], generated


if __name__ == "__main__":
    main()
