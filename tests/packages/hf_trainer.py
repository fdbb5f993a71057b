"""The Trainer of transformers trains a tiny Llama whose feed-forward layers are graphed callables."""

import tempfile

import torch
from transformers import LlamaConfig, LlamaForCausalLM, Trainer, TrainingArguments


def build():
    config = LlamaConfig(
        vocab_size=128,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=64,
        use_cache=False,
    )
    model = LlamaForCausalLM(config).cuda()
    for layer in model.model.layers:
        # Each its own: what a layer was given, its gradient needs.
        sample = torch.randn(4, 8, 32, device="cuda", requires_grad=True)
        layer.mlp = torch.cuda.make_graphed_callables(layer.mlp, (sample,))
    return model


def main():
    tokens = torch.randint(0, 128, (16, 8))
    data = [{"input_ids": row, "labels": row} for row in tokens]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            per_device_train_batch_size=4,
            num_train_epochs=2,
            logging_steps=1,
            eval_strategy="epoch",
            save_strategy="no",
            per_device_eval_batch_size=4,
            report_to=[],
        )
        trainer = Trainer(model=build(), args=arguments, train_dataset=data, eval_dataset=data[:4])
        print(trainer.train())


if __name__ == "__main__":
    main()
