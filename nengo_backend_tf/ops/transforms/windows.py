"""What a convolution multiplies with its kernel: the windows of its input.

Images are (N, *space, C): N images of C channels in one to three dimensions of space.
"""

import tensorflow as tf


def same_padding(length, n_windows, kernel, stride):
    """Zeros (before, after) one dimension so that ``n_windows`` windows fit: half of them, rounded down, before."""
    total = max((n_windows - 1) * stride + kernel - length, 0)
    return total // 2, total - total // 2


def padded(images, padding):
    """Images with zeros around: ``padding`` has (before, after) for each dimension of space."""
    if not any(before or after for before, after in padding):
        return images
    return tf.pad(images, [(0, 0), *padding, (0, 0)])


def dilated(images, strides):
    """Images with ``stride - 1`` zeros between neighbours: a dimension of length n becomes (n - 1) * stride + 1."""
    for axis, stride in enumerate(strides, 1):
        length = images.shape[axis]
        if stride == 1:
            continue
        apart = tf.expand_dims(images, axis + 1)
        padding = [[0, 0]] * len(apart.shape)
        padding[axis + 1] = [0, stride - 1]
        shape = images.shape.as_list()
        shape[axis] = length * stride
        images = along(tf.reshape(tf.pad(apart, padding), shape), axis, 0, (length - 1) * stride + 1, 1)
    return images


def along(x, axis, start, count, step):
    """``count`` elements from ``start`` on, ``step`` apart, along one axis."""
    item = [slice(None)] * axis + [slice(start, start + (count - 1) * step + 1, step)]
    return x[tuple(item)]


def windows(images, counts, kernel, strides):
    """All windows of images, cut one dimension after the other, so that slices are few even where kernels are large.

    Parameters
    ----------
    images : (N, *space, C) tensor
    counts : tuple of int
        Number of windows in each dimension.
    kernel : tuple of int
        Size of a window in each dimension.
    strides : tuple of int

    Returns
    -------
    (N, *counts, *kernel, C) tensor
    """
    for axis, (count, size, stride) in enumerate(zip(counts, kernel, strides), 1):
        images = tf.stack([along(images, axis, start, count, stride) for start in range(size)], -2)
    return images
