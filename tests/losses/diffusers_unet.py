"""A UNet of diffusers learns to tell noise, and takes it away step by step."""

import torch
from diffusers import DDIMScheduler, DDPMScheduler, UNet2DConditionModel
from ways import DEVICE, adamw, brief, repeated, say, train

model = UNet2DConditionModel(
    sample_size=8,
    in_channels=4,
    out_channels=4,
    layers_per_block=1,
    block_out_channels=(16, 32),
    down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"),
    up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    cross_attention_dim=16,
    attention_head_dim=8,
    norm_num_groups=8,
).to(DEVICE)
noising = DDPMScheduler(num_train_timesteps=100)
noising.alphas_cumprod = noising.alphas_cumprod.to(DEVICE)


def loss_of(model, images, noise, times, words):
    noisy = noising.add_noise(images, noise, times)
    return torch.nn.functional.mse_loss(model(noisy, times, words).sample, noise)


def batch():
    return (
        torch.randn(2, 4, 8, 8),
        torch.randn(2, 4, 8, 8),
        torch.randint(0, 100, (2,)),
        torch.randn(2, 5, 16),
    )


train(model, adamw(model.parameters(), lr=1e-3), [batch() for _ in range(4)], loss_of)

scheduler = DDIMScheduler(num_train_timesteps=100)
scheduler.set_timesteps(4)
words, image = torch.randn(1, 5, 16), torch.randn(1, 4, 8, 8).to(DEVICE)


def told(image, time, words):
    return model(image, time, words).sample


for time in scheduler.timesteps:
    batch = (image.cpu(), time.reshape(1), words)
    with torch.no_grad():
        *_, noise = repeated(told, [batch])
        image = scheduler.step(noise, time, image).prev_sample
    say(brief(image))
