"""A decoding step of transformers looks in its capture whether every sequence has ended."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, StaticCache

END = 1


def main():
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=64,
    )
    model = LlamaForCausalLM(config).cuda().eval()
    cache = StaticCache(config=config, max_cache_len=16)
    token = torch.zeros(2, 1, dtype=torch.long, device="cuda")
    position = torch.zeros(1, 1, dtype=torch.long, device="cuda")

    def step():
        output = model(token, past_key_values=cache, position_ids=position, use_cache=True)
        token.copy_(output.logits[:, -1:].argmax(-1))
        position.add_(1)
        return (token == END).all().item()  # cgsan: CG101

    with torch.inference_mode():
        model(token.repeat(1, 6), past_key_values=cache, use_cache=True)
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                step()
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            step()


if __name__ == "__main__":
    main()
