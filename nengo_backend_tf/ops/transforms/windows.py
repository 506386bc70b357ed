"""Cut images into windows, and put windows together to images: what is around the product with a convolution's kernel.

Images are (N, *space, C): N images of C channels in one to three dimensions of space.
"""

from math import prod

import tensorflow as tf


def same_padding(length, n_windows, kernel, stride):
    """Zeros (before, after) one dimension so that ``n_windows`` windows fit: half of them, rounded down, before."""
    total = max((n_windows - 1) * stride + kernel - length, 0)
    return total // 2, total - total // 2


def windows(images, padding, counts, kernel, strides):
    """All windows of images, cut one dimension after the other, so that slices are few even where kernels are large.

    Parameters
    ----------
    images : (N, *space, C) tensor
    padding : sequence of (int, int)
        Zeros before and after each dimension.
    counts : tuple of int
        Number of windows in each dimension.
    kernel : tuple of int
        Size of a window in each dimension.
    strides : tuple of int

    Returns
    -------
    (N, *counts, *kernel, C) tensor
    """
    for axis, (around, count, size, stride) in enumerate(zip(padding, counts, kernel, strides), 1):
        images = padded(images, axis, *around)
        images = tf.stack([along(images, axis, start, count, stride) for start in range(size)], -2)
    return images


def overlapped(parts, padding, lengths, strides):
    """Images as sums of overlapping windows: the transpose of `windows`.

    Parameters
    ----------
    parts : (N, *counts, *kernel, C) tensor
    padding : sequence of (int, int)
        How many elements before and after each dimension are cut off.
    lengths : tuple of int
        Size of the images in each dimension.
    strides : tuple of int

    Returns
    -------
    (N, *lengths, C) tensor
    """
    for axis, ((before, _), length, stride) in reversed(list(enumerate(zip(padding, lengths, strides), 1))):
        parts = dilated(parts, axis, stride)
        kernel, apart = parts.shape[-2], parts.shape[axis]
        size = max(apart + kernel - 1, before + length)
        shifted = [padded(p, axis, q, size - apart - q) for q, p in enumerate(tf.unstack(parts, axis=-2))]
        parts = along(tf.add_n(shifted), axis, before, length, 1)
    return parts


def padded(x, axis, before, after):
    """Zeros before and after an array along one axis."""
    if before == after == 0:
        return x
    padding = [(0, 0)] * len(x.shape)
    padding[axis] = (before, after)
    return tf.pad(x, padding)


def dilated(x, axis, stride):
    """``stride - 1`` zeros between neighbours along one axis, of length n: (n - 1) * stride + 1."""
    if stride == 1:
        return x
    shape = x.shape.as_list()
    length = shape[axis]
    # TensorFlow pads arrays of up to eight axes.
    apart = tf.reshape(x, [prod(shape[:axis]), length, 1, prod(shape[axis + 1:])])
    shape[axis] = length * stride
    apart = tf.reshape(padded(apart, 2, 0, stride - 1), shape)
    return along(apart, axis, 0, (length - 1) * stride + 1, 1)


def along(x, axis, start, count, step):
    """``count`` elements from ``start`` on, ``step`` apart, along one axis."""
    return x[(slice(None),) * axis + (slice(start, start + (count - 1) * step + 1, step),)]
