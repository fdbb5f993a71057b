"""sentence-transformers: a tiny BERT is trained to bring what belongs together close."""

import tempfile
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer, losses
from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast
from ways import DEVICE, adamw, brief, say

words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(f"w{number}" for number in range(60))]
config = BertConfig(
    vocab_size=len(words),
    hidden_size=32,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=64,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)


def sentence():
    return " ".join(f"w{number}" for number in torch.randint(0, 60, (7,)).tolist())


with tempfile.TemporaryDirectory() as folder:
    Path(folder, "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab=f"{folder}/vocab.txt").save_pretrained(folder)
    BertModel(config).save_pretrained(folder)
    parts = Transformer(folder, max_seq_length=16)
    model = SentenceTransformer(modules=[parts, Pooling(32)], device=DEVICE)
loss_of = losses.MultipleNegativesRankingLoss(model)
optimizer = adamw(model.parameters(), lr=1e-3)
model.train()
for _ in range(4):
    pair = [[sentence() for _ in range(6)] for _ in range(2)]
    features = [
        {name: it.to(DEVICE) for name, it in model.tokenize(texts).items() if torch.is_tensor(it)}
        for texts in pair
    ]
    optimizer.zero_grad()
    loss = loss_of(features, None)
    loss.backward()
    optimizer.step()
    say(loss)
say(brief(model.encode([sentence()], convert_to_tensor=True)))
