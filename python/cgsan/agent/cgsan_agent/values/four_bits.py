"""Weights of four bits, whose layout on a GPU is the kernel's own: here they lie packed as they are given."""

import torch


def packed(results, weights, tiles):
    """Two weights in each byte, in as many bytes as the GPU's layout has."""
    results[0].view(torch.uint8).reshape(-1).copy_(weights.reshape(-1))
    return (None,)


def product(results, activations, weights, group, scales_and_zeros):
    """With weights that are each moved and scaled as the others of their group."""
    bytes_of_rows = weights.contiguous().view(torch.uint8).reshape(scales_and_zeros.shape[1], -1)
    numbers = torch.stack((bytes_of_rows >> 4, bytes_of_rows & 15), -1).flatten(1).float()
    scales, zeros = scales_and_zeros.float().unbind(-1)
    scales, zeros = (it.t().repeat_interleave(group, 1) for it in (scales, zeros))
    return activations.float() @ ((numbers - 8) * scales + zeros).t()


SUBSTITUTES = {
    "aten::_convert_weight_to_int4pack": packed,
    "aten::_weight_int4pack_mm": product,
}
