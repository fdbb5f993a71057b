"""A Mixtral of transformers is captured with the loop over the experts that are hit, of which the host asks."""

import torch
from transformers import MixtralConfig, MixtralForCausalLM


def main():
    config = MixtralConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        num_local_experts=4,
        max_position_embeddings=64,
        experts_implementation="eager",
    )
    model = MixtralForCausalLM(config).cuda().eval()
    tokens = torch.randint(0, 128, (2, 6), device="cuda")
    with torch.no_grad():
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(2):
                model(tokens, use_cache=False)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            model(tokens, use_cache=False)  # cgsan: CG101


if __name__ == "__main__":
    main()
