"""x-transformers: a decoder with rotary positions and gated layers is trained, and generates greedily."""

import torch
from ways import DEVICE, adamw, say, train
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper

model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=64,
        max_seq_len=32,
        attn_layers=Decoder(
            dim=32,
            depth=2,
            heads=2,
            attn_dim_head=16,
            rotary_pos_emb=True,
            ff_glu=True,
            use_rmsnorm=True,
            attn_flash=True,
        ),
    )
).to(DEVICE)
batches = [(torch.randint(0, 64, (4, 17)),) for _ in range(4)]
train(model, adamw(model.parameters()), batches, lambda model, tokens: model(tokens))
say(model.generate(batches[0][0][:2, :4].to(DEVICE), 6, temperature=0.0))
