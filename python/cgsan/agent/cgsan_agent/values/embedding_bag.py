"""Bags of embeddings as CUDA's kernels compute them, with the auxiliary results that their backward pass reads.

The CPU's operators keep other ones: for most bags, none.
"""

import torch

from .precision import precision_of

SUM, MEAN, MAX = range(3)


def forward(
    results,
    weight,
    indices,
    offsets,
    scale_grad_by_freq=False,
    mode=SUM,
    sparse=False,
    per_sample_weights=None,
    include_last_offset=False,
    padding_idx=-1,
):
    bags = offsets.numel() - include_last_offset
    bag_of = _bag_of_each(offsets[:bags], indices.numel())
    rows = weight.index_select(0, indices).to(precision_of(weight.dtype))
    counts = indices != padding_idx
    sizes = torch.zeros_like(offsets)
    sizes.index_add_(0, bag_of, counts.to(sizes.dtype))
    if mode == MAX:
        output, greatest = _greatest(rows[counts], indices[counts], bag_of[counts], bags)
        return output, bag_of, sizes, greatest
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(rows.dtype).unsqueeze(1)
    output = rows.new_zeros(bags, rows.shape[1]).index_add_(0, bag_of[counts], rows[counts])
    if mode == MEAN:
        output /= sizes[:bags].clamp(min=1).unsqueeze(1)
    return output, bag_of, sizes, None


def _bag_of_each(offsets, count):
    """The bag of each index. The first begins with the first index, whatever its offset says."""
    first = offsets.clone()
    first[:1] = 0
    sizes = torch.diff(first, append=first.new_tensor([count]))
    return torch.arange(len(offsets), dtype=offsets.dtype).repeat_interleave(sizes)


def _greatest(rows, indices, bag_of, bags):
    """The greatest elements of each bag, zeros where it is empty, and the index of the first row that has each: -1 there."""
    place = bag_of.unsqueeze(1).expand_as(rows).to(torch.int64)
    output = rows.new_zeros(bags, rows.shape[1])
    output.scatter_reduce_(0, place, rows, "amax", include_self=False)
    is_greatest = rows == output.gather(0, place)
    at = torch.arange(len(rows)).unsqueeze(1).expand_as(rows)
    first = at.new_full(output.shape, len(rows))
    first.scatter_reduce_(0, place, at.where(is_greatest, len(rows)), "amin")
    return output, torch.cat((indices, indices.new_tensor([-1])))[first]


def dense_backward(
    results,
    grad,
    indices,
    offset2bag,
    bag_size,
    maximum_indices,
    num_weights,
    scale_grad_by_freq,
    mode,
    per_sample_weights,
    padding_idx=-1,
):
    wide = grad.to(precision_of(grad.dtype))
    found = wide.new_zeros(num_weights, wide.shape[1])
    if mode == MAX:
        has_any = maximum_indices >= 0
        place = maximum_indices.clamp(min=0).to(torch.int64)
        return found.scatter_add_(0, place, wide.where(has_any, 0.0))
    rows = wide.index_select(0, offset2bag)
    if per_sample_weights is not None:
        rows = rows * per_sample_weights.to(rows.dtype).unsqueeze(1)
    if mode == MEAN:
        rows = rows / bag_size.index_select(0, offset2bag).unsqueeze(1)
    if scale_grad_by_freq:
        of_each = torch.bincount(indices, minlength=num_weights).index_select(0, indices)
        rows = rows / of_each.unsqueeze(1)
    counts = indices != padding_idx
    return found.index_add_(0, indices[counts], rows[counts])


def backward(
    results,
    grad,
    indices,
    offsets,
    offset2bag,
    bag_size,
    maximum_indices,
    num_weights,
    scale_grad_by_freq,
    mode,
    sparse,
    per_sample_weights,
    padding_idx=-1,
):
    return dense_backward(
        results,
        grad,
        indices,
        offset2bag,
        bag_size,
        maximum_indices,
        num_weights,
        scale_grad_by_freq,
        mode,
        per_sample_weights,
        padding_idx,
    )


def weights_backward(results, grad, weight, indices, offsets, offset2bag, mode, padding_idx=-1):
    wide = precision_of(grad.dtype)
    products = grad.to(wide).index_select(0, offset2bag) * weight.index_select(0, indices).to(wide)
    return products.sum(1).masked_fill(indices == padding_idx, 0.0)


SUBSTITUTES = {
    "aten::_embedding_bag": forward,
    "aten::_embedding_bag_forward_only": forward,
    "aten::_embedding_bag_backward": backward,
    "aten::_embedding_bag_dense_backward": dense_backward,
    "aten::_embedding_bag_per_sample_weights_backward": weights_backward,
}
