"""kornia: images are blurred, turned, changed in colour and searched for corners; a turn is learned."""

import kornia
import torch
from ways import DEVICE, infer, say

images = [(torch.rand(2, 3, 24, 24),) for _ in range(2)]
angle = torch.tensor([20.0, -35.0]).to(DEVICE)
for change in (
    lambda x: kornia.filters.gaussian_blur2d(x, (5, 5), (1.5, 1.5)),
    kornia.color.rgb_to_lab,
    lambda x: kornia.filters.canny(x)[0],
    lambda x: kornia.feature.harris_response(x.mean(1, keepdim=True), 0.04),
    lambda x: kornia.morphology.dilation(x, torch.ones(3, 3, device=DEVICE)),
    lambda x: kornia.enhance.equalize_clahe(x, grid_size=(4, 4)),
):
    (image,) = images[0]
    changed = change(image.to(DEVICE))
    say(changed.norm(), changed.abs().mean(), *changed.flatten()[:3].tolist())
infer(lambda x: kornia.geometry.transform.rotate(x, angle), images)

turn = torch.tensor([0.0, 0.0]).to(DEVICE).requires_grad_()
(start,) = images[0]
start = start.to(DEVICE)
wanted = kornia.geometry.transform.rotate(start, angle)
optimizer = torch.optim.SGD([turn], lr=50.0)
for _ in range(4):
    optimizer.zero_grad()
    loss = (kornia.geometry.transform.rotate(start, turn) - wanted).square().mean()
    loss.backward()
    optimizer.step()
    say(loss, turn)
