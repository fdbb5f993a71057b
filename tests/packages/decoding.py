"""A tiny Llama of transformers decodes with a static cache: by a step captured by hand, and by a compiled one."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

PROMPT, NEW_TOKENS = 6, 6


def build():
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=64,
    )
    return LlamaForCausalLM(config).cuda().eval()


class Decoder:
    def __init__(self, model):
        self.model = model
        self.cache = StaticCache(config=model.config, max_cache_len=PROMPT + NEW_TOKENS)
        self.token = torch.zeros(2, 1, dtype=torch.long, device="cuda")
        self.position = torch.zeros(1, 1, dtype=torch.long, device="cuda")

    def prefill(self, prompt):
        self.cache.reset()
        logits = self.model(prompt, past_key_values=self.cache, use_cache=True).logits
        self.token.copy_(logits[:, -1:].argmax(-1))
        self.position.fill_(prompt.shape[1])

    def step(self):
        output = self.model(
            self.token,
            past_key_values=self.cache,
            position_ids=self.position,
            use_cache=True,
        )
        self.token.copy_(output.logits[:, -1:].argmax(-1))
        self.position.add_(1)

    def decode(self, prompt, advance):
        self.prefill(prompt)
        tokens = [self.token.clone()]
        for _ in range(NEW_TOKENS - 1):
            advance()
            tokens.append(self.token.clone())
        return torch.cat(tokens, 1)


@torch.inference_mode()
def captured(model, prompts):
    decoder = Decoder(model)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        decoder.prefill(prompts[0])
        for _ in range(2):
            decoder.step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        decoder.step()
    return [decoder.decode(prompt, graph.replay) for prompt in prompts]


@torch.inference_mode()
def compiled(model, prompts):
    decoder = Decoder(model)
    step = torch.compile(model, mode="reduce-overhead", fullgraph=True)

    def advance():
        output = step(
            decoder.token,
            past_key_values=decoder.cache,
            position_ids=decoder.position,
            use_cache=True,
        )
        decoder.token.copy_(output.logits[:, -1:].argmax(-1))
        decoder.position.add_(1)

    return [decoder.decode(prompt, advance) for prompt in prompts]


def main():
    model = build()
    prompts = [torch.randint(1, 128, (2, PROMPT), device="cuda") for _ in range(2)]
    for tokens in (captured(model, prompts), compiled(model, prompts)):
        assert torch.cat(tokens).shape == (4, NEW_TOKENS)


if __name__ == "__main__":
    main()
