"""A tiny Llama of transformers generates with a static cache: by `generate`, and by a decoding step captured by hand."""

import importlib.util
import sys

import torch

try:
    from transformers import LlamaConfig, LlamaForCausalLM, StaticCache
except ImportError:
    print("skipped: transformers is not installed")
    sys.exit(0)

PROMPT, NEW_TOKENS = 6, 8


def build():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=64,
        bos_token_id=None,
        eos_token_id=None,
        pad_token_id=0,
    )
    return LlamaForCausalLM(config).cuda().eval()


def by_generate(model, prompt, **options):
    tokens = model.generate(
        prompt,
        attention_mask=torch.ones_like(prompt),
        do_sample=False,
        max_new_tokens=NEW_TOKENS,
        **options,
    )
    return tokens[:, PROMPT:].tolist()


@torch.inference_mode()
def by_graph(model, prompts):
    """One graph of the decoding step, used for one prompt after the other."""
    cache = StaticCache(config=model.config, max_cache_len=PROMPT + NEW_TOKENS)
    token = torch.zeros(prompts[0].shape[0], 1, dtype=torch.long, device="cuda")
    position = torch.zeros(1, 1, dtype=torch.long, device="cuda")

    def prefill(prompt):
        cache.reset()
        logits = model(prompt, past_key_values=cache, use_cache=True).logits
        token.copy_(logits[:, -1:].argmax(-1))
        position.fill_(prompt.shape[1])

    def step():
        output = model(token, past_key_values=cache, position_ids=position, use_cache=True)
        token.copy_(output.logits[:, -1:].argmax(-1))
        position.add_(1)

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        prefill(prompts[0])
        for _ in range(2):
            step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()

    written = []
    for prompt in prompts:
        prefill(prompt)
        tokens = [token.clone()]
        for _ in range(NEW_TOKENS - 1):
            graph.replay()
            tokens.append(token.clone())
        written.append(torch.cat(tokens, 1).tolist())
    return written


def main():
    model = build()
    prompts = [torch.randint(1, 128, (2, PROMPT), device="cuda") for _ in range(3)]
    # With a static cache, `generate` compiles the decoding step and lets the compiler graph it.
    cannot_compile = importlib.util.find_spec("triton") is None
    eager = [by_generate(model, prompt) for prompt in prompts]
    static = [
        by_generate(model, prompt, cache_implementation="static", disable_compile=cannot_compile)
        for prompt in prompts
    ]
    captured = by_graph(model, prompts)
    print("eager   ", eager)
    print("static  ", static)
    print("captured", captured)
    print("same tokens", eager == static, eager == captured)


if __name__ == "__main__":
    main()
