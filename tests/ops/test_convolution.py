"""Convolutions of all settings, in one to three dimensions, against plain sums, and against nengo's own step function."""

from itertools import product

import numpy as np
import pytest
import tensorflow as tf
from nengo import Convolution, ConvolutionTranspose
from nengo.builder import Signal
from nengo.builder.signal import SignalDict
from nengo.builder.transforms import ConvInc, ConvTransposeInc

from nengo_backend_tf.ops.registry import Context
from nengo_backend_tf.ops.transforms.convolution import make_convolution_step

#: Sizes and kernels, even and odd, by dimension.
SPACES = {1: [(9,), (8,)], 2: [(7, 6), (8, 5)], 3: [(5, 4, 6)]}
KERNELS = {1: [(1,), (2,), (3,), (4,)], 2: [(3, 3), (2, 3), (4, 1)], 3: [(2, 3, 4), (1, 2, 3)]}
STRIDES = {1: [(1,), (2,), (3,)], 2: [(1, 1), (2, 1), (3, 2)], 3: [(1, 1, 1), (2, 1, 3)]}


def convolutions(dimensions):
    """Convolutions with all combinations of settings."""
    for space, kernel, strides, padding, last, groups in product(
        SPACES[dimensions], KERNELS[dimensions], STRIDES[dimensions], ("same", "valid"), (True, False), (1, 2)
    ):
        yield Convolution(
            6, (*space, 4) if last else (4, *space), kernel_size=kernel, strides=strides, padding=padding,
            channels_last=last, groups=groups,
        )


def transposed(dimensions):
    """Their transposes, with the output as large as the convolution's input, and as small as it may be."""
    for conv in convolutions(dimensions):
        if conv.groups == 1:
            for shape in (conv.input_shape.shape, None):
                yield ConvolutionTranspose(
                    4, conv.output_shape.shape, output_shape=shape, kernel_size=conv.kernel_size, strides=conv.strides,
                    padding=conv.padding, channels_last=conv.channels_last,
                )


def operator(transform):
    kind = ConvTransposeInc if isinstance(transform, ConvolutionTranspose) else ConvInc
    sizes = transform.size_in, transform.size_out
    return kind(Signal(np.zeros(transform.kernel_shape)), *(Signal(np.zeros(n)) for n in sizes), transform)


def convolution_step(transform, dtype, members=1):
    """The step of this backend for operators with one transform."""
    shapes = (members, *transform.kernel_shape), (members, *transform.input_shape.shape)
    context = Context(0.001, np.dtype(dtype), "stacked", shapes, (transform.size_out,) * members)
    return make_convolution_step([operator(transform)] * members, context)


def compiled(transform, w, x, members=1):
    """What it computes of kernels (..., G, *kernel) and inputs (..., G, *input), as arrays: (..., G, *output)."""
    return convolution_step(transform, x.dtype, members)(tf.constant(w), tf.constant(x))[0].numpy()


def nengo_convolution(transform, w, x):
    """nengo's own step function for a kernel and an input: (size_out,)."""
    op, signals = operator(transform), SignalDict()
    op.init_signals(signals)
    signals[op.W][...], signals[op.X][...] = w, x.reshape(-1)
    op.make_step(signals, 0.001, None)()
    return signals[op.Y]


def direct_convolution(transform, w, x):
    """A sum over all places of the kernel, and all elements of it: (size_out,)."""
    backwards, groups = isinstance(transform, ConvolutionTranspose), transform.groups
    x = x if transform.channels_last else np.moveaxis(x, 0, -1)
    long, short = transform.input_shape.spatial_shape, transform.output_shape.spatial_shape
    y = np.zeros((*short, transform.n_filters))
    if backwards:
        long, short = short, long
    settings = list(zip(long, short, transform.kernel_size, transform.strides))
    total = [max((n_short - 1) * s + k - n_long, 0) for n_long, n_short, k, s in settings]
    before = [0 if transform.padding == "valid" else n // 2 for n in total]
    n_in, n_out = x.shape[-1] // groups, y.shape[-1] // groups
    for place, inside in product(np.ndindex(*short), np.ndindex(*transform.kernel_size)):
        at = tuple(s * p + q - b for s, p, q, b in zip(transform.strides, place, inside, before))
        if all(0 <= i < n for i, n in zip(at, long)):
            source, target = (place, at) if backwards else (at, place)
            for g in range(groups):
                columns = slice(g * n_out, (g + 1) * n_out)
                y[target][columns] += x[source][g * n_in : (g + 1) * n_in] @ w[inside][:, columns]
    return (y if transform.channels_last else np.moveaxis(y, -1, 0)).reshape(-1)


def arrays(transform, rng, lead=(), dtype=np.float64):
    """A kernel, and inputs with leading axes."""
    w, x = rng.uniform(-1, 1, transform.kernel_shape), rng.uniform(-1, 1, (*lead, *transform.input_shape.shape))
    return w.astype(dtype), x.astype(dtype)


@pytest.mark.parametrize("transforms", [convolutions, transposed])
@pytest.mark.parametrize("dimensions", [1, 2])
def test_as_nengo(transforms, dimensions):
    rng = np.random.RandomState(dimensions)
    for transform in transforms(dimensions):
        w, x = arrays(transform, rng)
        expected = nengo_convolution(transform, w, x)
        actual = compiled(transform, w[None], x[None]).reshape(-1)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12, err_msg=str(transform))
        np.testing.assert_allclose(direct_convolution(transform, w, x), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("transforms", [convolutions, transposed])
def test_three_dimensions(transforms):
    rng = np.random.RandomState(3)
    for transform in transforms(3):
        w, x = arrays(transform, rng)
        expected = direct_convolution(transform, w, x)
        actual = compiled(transform, w[None], x[None]).reshape(-1)
        np.testing.assert_allclose(actual, expected, rtol=0, atol=1e-12, err_msg=str(transform))


@pytest.mark.parametrize("transforms", [convolutions, transposed])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_single_precision(transforms, dimensions):
    """TensorFlow's own convolutions, which single precision takes, give what products with windows give."""
    rng = np.random.RandomState(dimensions)
    for transform in transforms(dimensions):
        w, x = arrays(transform, rng, lead=(2, 1), dtype=np.float32)
        expected = compiled(transform, w[None].astype(float), x.astype(float))
        np.testing.assert_allclose(compiled(transform, w[None], x), expected, rtol=0, atol=2e-5, err_msg=str(transform))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("transform", [
    Convolution(6, (4, 5, 6), kernel_size=(2, 3), strides=(1, 2), padding="same", channels_last=False, groups=2),
    Convolution(3, (7, 2), kernel_size=(3,), strides=(2,)),
    ConvolutionTranspose(3, (3, 4, 2), kernel_size=(2, 3), strides=(2, 1)),
])
@pytest.mark.parametrize("members", [1, 3])
@pytest.mark.parametrize("axes", [("", ""), ("B", ""), ("", "B"), ("B", "B")])
def test_leading_axes(dtype, transform, members, axes):
    """Kernels and inputs may each have a minibatch, or none."""
    rng = np.random.RandomState(0)
    items = 4
    leads = [(items, members) if axis else (members,) for axis in axes]
    w = rng.uniform(-1, 1, (*leads[0], *transform.kernel_shape)).astype(dtype)
    x = rng.uniform(-1, 1, (*leads[1], *transform.input_shape.shape)).astype(dtype)
    actual = compiled(transform, w, x, members)
    lead = max(leads, key=len)
    assert actual.shape == (*lead, *transform.output_shape.shape)
    actual = actual.reshape(*lead, -1)
    w = np.broadcast_to(w, (*lead, *transform.kernel_shape))
    x = np.broadcast_to(x, (*lead, *transform.input_shape.shape))
    for item in np.ndindex(*lead):
        expected = nengo_convolution(transform, w[item], x[item])
        np.testing.assert_allclose(actual[item], expected, rtol=0, atol=1e-12 if dtype == np.float64 else 1e-5)


@pytest.mark.parametrize("xla", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimensions", [1, 2, 3])
def test_inside_function(dimensions, dtype, xla):
    """What runs eagerly runs in a compiled function too."""
    rng = np.random.RandomState(0)
    for transforms in (convolutions, transposed):
        transform = [t for t in transforms(dimensions) if t.groups == 1][-1]
        w, x = arrays(transform, rng, lead=(2, 1), dtype=dtype)
        expected = compiled(transform, w[None], x)
        step = convolution_step(transform, dtype)
        function = tf.function(lambda x, step=step, w=w[None]: step(w, x)[0], jit_compile=xla, autograph=False)
        tolerance = 1e-12 if dtype == np.float64 else 2e-5
        np.testing.assert_allclose(function(tf.constant(x)).numpy(), expected, rtol=0, atol=tolerance)
