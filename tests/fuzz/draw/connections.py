"""Connections between places: slices, functions, transforms, solvers and synapses."""

import nengo
import numpy as np
from nengo.ensemble import Ensemble, Neurons
from nengo.neurons import Direct
from nengo.node import Node

from . import functions, synapses


def sliced(draw, thing, size, repeats=True):
    """A thing, or some of its elements: a slice with steps, a list with repeats. Returns it and its size."""
    if size == 0 or draw.chance(0.55):
        return thing, size
    picked = draw.pick("one", "part", "step", "reverse", "list", "repeat")
    if picked == "one":
        index = draw.integer(-size, size - 1)
    elif picked == "part":
        start = draw.integer(0, size - 1)
        index = slice(start, draw.integer(start + 1, size))
    elif picked == "step":
        index = slice(draw.integer(0, min(1, size - 1)), None, 2)
    elif picked == "reverse":
        index = slice(None, None, draw.pick(-1, -2))
    elif picked == "list" or not repeats:
        index = draw.rng.sample(range(-size, 0) if draw.chance(0.3) else range(size), draw.integer(1, size))
    else:
        index = [draw.integer(0, size - 1) for _ in range(draw.integer(1, size + 1))]
    return thing[index], len(np.atleast_1d(np.arange(size)[index]))


def connect(draw, dt, pre, post):
    """Draw a connection between two places.

    Parameters
    ----------
    draw : Draw
    dt : float
        The timestep in seconds.
    pre, post : Place
    """
    synapse = synapses.synapse(draw, dt, optional=post.rank > pre.rank)
    decoded = isinstance(pre.pre, Ensemble) and not isinstance(pre.pre.neuron_type, Direct)
    kind = "dense" if decoded and draw.chance(0.8) else draw.pick(
        "dense", "dense", "diagonal", "sparse", "convolution", "transpose", "none")
    if decoded and kind not in ("dense", "diagonal", "none"):
        kind = "diagonal"
    # Loops are weak, so that few networks run away.
    weight = post.scale / pre.height * (1.0 if post.rank > pre.rank else 0.25)
    if decoded and isinstance(post.post, Ensemble) and kind == "dense" and draw.chance(0.25):
        return nengo.Connection(
            pre.pre, post.post, solver=solver(draw, pre, weights=True), synapse=synapse,
            transform=draw.array((post.post.size_in, pre.pre.size_out)),
        )
    repeats = kind in ("diagonal", "none")
    source, size_in = sliced(draw, pre.pre, pre.pre.size_out, repeats and not decoded)
    target, size_out = sliced(draw, post.post, post.post.size_in, repeats)
    arguments = dict(synapse=synapse, seed=draw.seed() if draw.chance(0.2) else None)
    size_mid = size_in
    if _may_call(pre.pre) and (pre.decodable or not decoded) and draw.chance(0.4):
        function = draw.pick(*functions.OF_VALUES)
        size_mid = functions.OF_VALUES[function](size_in)
        arguments["function"] = function
    if decoded and (not pre.decodable or draw.chance(0.15)):
        arguments["solver"] = nengo.solvers.NoSolver(draw.array((pre.pre.n_neurons, size_mid)) / 100)
    elif decoded and draw.chance(0.2):
        arguments["solver"] = draw.pick(nengo.solvers.Lstsq(), nengo.solvers.LstsqNoise(), nengo.solvers.LstsqL2(reg=0.05))
    if kind in ("diagonal", "none"):
        # Both ends must have one size: the longer is cut.
        size = min(size_mid, size_out)
        source, target = _cut(source, size_mid, size, arguments), _cut(target, size_out, size)
        if source is None or size == 0:
            return None
        arguments["transform"] = nengo.transforms.NoTransform(size) if kind == "none" else nengo.Dense(
            (size, size), draw.pick(weight, draw.number(-1, 1) * weight, draw.array(size) * weight))
        return nengo.Connection(source, target, **arguments)
    transform, size_out = TRANSFORMS[kind](draw, size_mid, size_out, weight)
    target = _cut(target, target.size_in, size_out)
    return nengo.Connection(source, target, transform=transform, **arguments)


def _may_call(pre):
    return not isinstance(pre, Neurons) and not (isinstance(pre, Node) and pre.output is None)


def _cut(thing, size, wanted, arguments=None):
    """The first elements; None where a function puts out more than is wanted."""
    if size == wanted:
        return thing
    if arguments is not None and ("function" in arguments or "solver" in arguments):
        return None
    return thing[:wanted] if not hasattr(thing, "slice") else thing.obj[_first(thing, wanted)]


def _first(view, wanted):
    """The first indices that a view shows, as a list."""
    size = max(view.obj.size_in, view.obj.size_out)
    return [int(i) for i in np.arange(size)[view.slice][:wanted]]


def solver(draw, pre, weights=False):
    """A solver that can serve: given decoders where nengo finds none, since no neuron fires at the evaluation points."""
    if not pre.decodable or draw.chance(0.3):
        return nengo.solvers.NoSolver(draw.array((pre.pre.n_neurons, pre.pre.size_out)) / 100, weights=weights)
    return nengo.solvers.LstsqL2(weights=weights)


def dense(draw, size_in, size_out, weight):
    """A matrix, in some cases a zero one, or a distribution of matrices."""
    shape = (size_out, size_in)
    if draw.chance(0.15):
        return nengo.Dense(shape, nengo.dists.Uniform(-weight, weight)), size_out
    matrix = draw.array(shape) * weight
    if draw.chance(0.1):
        matrix[:] = 0
    elif draw.chance(0.3):
        matrix[np.random.RandomState(draw.seed()).rand(*shape) < 0.6] = 0
    return nengo.Dense(shape, matrix), size_out


def sparse(draw, size_in, size_out, weight):
    """A sparse matrix, by coordinates (some may be named twice), or as SciPy has it."""
    n = draw.integer(1, max(1, size_in * size_out))
    rows = [draw.integer(0, size_out - 1) for _ in range(n)]
    columns = [draw.integer(0, size_in - 1) for _ in range(n)]
    data = draw.array(n) * weight
    if draw.chance(0.3):
        from scipy.sparse import csr_matrix

        return nengo.Sparse((size_out, size_in), init=csr_matrix((data, (rows, columns)), (size_out, size_in))), size_out
    return nengo.Sparse((size_out, size_in), indices=list(zip(rows, columns)), init=data), size_out


def _image(draw, size):
    """A shape (space..., channels) of so many elements, and whether channels come last."""
    last = draw.chance(0.6)
    divisors = [c for c in (1, 2, 3, 4) if size % c == 0]
    channels = draw.pick(*divisors)
    space = [size // channels]
    if draw.chance(0.5):
        height = draw.pick(*[h for h in (1, 2, 3, 4) if space[0] % h == 0])
        space = [height, space[0] // height]
    shape = (*space, channels) if last else (channels, *space)
    return nengo.transforms.ChannelShape(shape, channels_last=last), space


def convolution(draw, size_in, size_out, weight, kind=nengo.Convolution):
    """A convolution, or its transpose, whose output is not larger than what is there; else a matrix."""
    image, space = _image(draw, size_in)
    settings = dict(
        n_filters=draw.integer(1, 2), input_shape=image, kernel_size=tuple(draw.integer(1, min(3, s)) for s in space),
        strides=tuple(draw.pick(1, 1, 2) for _ in space), padding=draw.pick("same", "valid"),
        channels_last=image.channels_last,
    )
    if kind is nengo.Convolution and image.n_channels % 2 == 0 and settings["n_filters"] == 2 and draw.chance(0.4):
        settings["groups"] = 2
    made = kind(**settings, init=nengo.dists.Uniform(-weight, weight))
    if made.size_out > size_out or made.size_out == 0:
        return dense(draw, size_in, size_out, weight)
    made = kind(**settings, init=draw.array(made.kernel_shape) * weight)
    return made, made.size_out


def transpose(draw, size_in, size_out, weight):
    return convolution(draw, size_in, size_out, weight, nengo.ConvolutionTranspose)


TRANSFORMS = {"dense": dense, "sparse": sparse, "convolution": convolution, "transpose": transpose}
