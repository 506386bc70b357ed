"""Rows for convolutions: ConvInc, ConvTransposeInc. All their settings are in ``test_convolution``."""

from functools import partial

from harness import Case
from nengo import Convolution, ConvolutionTranspose
from nengo.builder import Signal
from nengo.builder.operator import Reset
from nengo.builder.transforms import ConvInc, ConvTransposeInc

CONVOLUTIONS = {
    "1d": dict(n_filters=3, input_shape=(9, 2), kernel_size=(4,), strides=(3,), padding="same"),
    "1d_first": dict(n_filters=2, input_shape=(1, 8), kernel_size=(3,), strides=(1,), channels_last=False),
    "2d": dict(n_filters=4, input_shape=(6, 5, 3), kernel_size=(3, 2), strides=(1, 1)),
    "2d_first": dict(
        n_filters=2, input_shape=(3, 7, 4), kernel_size=(2, 3), strides=(2, 1), padding="same", channels_last=False
    ),
    "2d_groups": dict(n_filters=6, input_shape=(5, 6, 4), kernel_size=(3, 2), strides=(1, 2), padding="same", groups=2),
    "2d_depthwise": dict(n_filters=3, input_shape=(5, 5, 3), kernel_size=(3, 3), strides=(1, 1), groups=3),
    "2d_depthwise_first": dict(
        n_filters=4, input_shape=(2, 5, 5), kernel_size=(2, 2), strides=(2, 2), groups=2, channels_last=False
    ),
}

TRANSPOSED = {
    "1d": dict(n_filters=3, input_shape=(4, 2), kernel_size=(3,), strides=(2,)),
    "2d": dict(
        n_filters=2, input_shape=(3, 3, 3), output_shape=(6, 7, 2), kernel_size=(2, 3), strides=(2, 3), padding="same"
    ),
    "2d_first": dict(
        n_filters=2, input_shape=(3, 3, 2), kernel_size=(3, 2), strides=(1, 3), padding="valid", channels_last=False
    ),
}


def make_convolution(model, rng, transform, operator, constant_kernel):
    W = Signal(transform.sample(rng=rng), readonly=constant_kernel)
    X, Y = (Signal(rng.uniform(-1, 1, size)) for size in (transform.size_in, transform.size_out))
    if rng.rand() < 0.5:
        model.add_op(Reset(Y))
    model.add_op(operator(W, X, Y, transform))


def rows(name, transform, operator):
    """Kernels that are constant, and kernels that change."""
    for which, constant in (("", True), ("_changing", False)):
        make = partial(make_convolution, transform=transform, operator=operator, constant_kernel=constant)
        yield Case(f"{name}{which}", make, members=2, groups=1)


def make_two_settings(model, rng):
    """Convolutions that share all shapes, but not their settings."""
    for padding in ("valid", "same"):
        transform = Convolution(3, (5, 5, 2), kernel_size=(1, 1), padding=padding)
        make_convolution(model, rng, transform, ConvInc, constant_kernel=True)


CASES = (
    *(case for name, options in CONVOLUTIONS.items() for case in rows(f"conv_{name}", Convolution(**options), ConvInc)),
    *(
        case for name, options in TRANSPOSED.items()
        for case in rows(f"convtranspose_{name}", ConvolutionTranspose(**options), ConvTransposeInc)
    ),
    Case("conv_two_settings", make_two_settings, groups=2),
)
