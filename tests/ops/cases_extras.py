"""Rows for what nengo-extras adds, where it is installed: neuron types, SimAML, and processes on images."""

import importlib
from functools import partial

import numpy as np
from cases_learning import positive, rate, weights
from cases_neurons import lif_parameters, make_neurons, pick
from harness import Case
from nengo.builder import Signal
from nengo.builder.processes import SimProcess

def extras(name):
    """A class of nengo-extras, imported when it is needed: the import takes seconds."""
    module, _, name = name.rpartition(".")
    return getattr(importlib.import_module(f"nengo_extras.{module}"), name)


def mended(name):
    """A neuron type as of a release that knows nengo's present interface: nengo calls its equations."""
    kind = extras(name)
    return type(kind.__name__, (kind,), {
        "step": kind.step_math, "__module__": kind.__module__, "__qualname__": kind.__qualname__,
    })


def soft_lif_rate(rng, find=extras):
    return find("neurons.SoftLIFRate")(sigma=rng.uniform(0.05, 1), **lif_parameters(rng))


def fast_lif(rng, find=extras):
    return find("neurons.FastLIF")(**lif_parameters(rng), min_voltage=pick(rng, 0, -1, -np.inf))


def make_aml(model, rng, same=False):
    """Errors of either sign; decoders decay, and grow."""
    n_neurons, dimensions, d_out = 6, 3, 4
    delta, target = weights(model, rng, d_out, n_neurons)
    identity = rng.uniform(-1, 1, (n_neurons, dimensions))
    x, error = (Signal(rng.uniform(-1, 1, size)) for size in (dimensions, 2 + d_out))
    model.add_op(extras("learning_rules.SimAML")(rate(rng, same), identity, x, error, target, delta))


CONV2D = {
    "plain": dict(shape_in=(2, 5, 6), filters=(3, 2, 3, 3)),
    "padded": dict(shape_in=(3, 5, 4), filters=(2, 3, 3, 5), strides=(2, 1), padding=(1, 3)),
    "ceil": dict(shape_in=(1, 7, 8), filters=(2, 1, 3, 3), strides=3, border="ceil"),
    "floor": dict(shape_in=(1, 7, 8), filters=(2, 1, 3, 3), strides=3, border="floor"),
    "larger_than_image": dict(shape_in=(2, 2, 3), filters=(2, 2, 5, 3), strides=2),
    "own_filters": dict(shape_in=(2, 4, 5), filters=(3, 4, 3, 2, 3, 3), strides=(1, 2), padding=1),
    "one_bias": dict(shape_in=(2, 4, 4), filters=(3, 2, 3, 3), biases=(1,)),
    "filter_biases": dict(shape_in=(2, 4, 4), filters=(3, 2, 3, 3), biases=(3,)),
    "all_biases": dict(shape_in=(2, 4, 5), filters=(3, 2, 3, 3), biases=(3, 2, 3)),
}

POOL2D = {
    "average": dict(shape_in=(2, 4, 6), pool_size=2),
    "partial": dict(shape_in=(3, 5, 7), pool_size=(2, 3)),
    "overlapping": dict(shape_in=(2, 6, 6), pool_size=3, strides=2),
    "valid": dict(shape_in=(2, 5, 7), pool_size=(2, 3), mode="valid"),
    "larger_than_image": dict(shape_in=(1, 2, 3), pool_size=4, strides=3),
    "max": dict(shape_in=(2, 4, 6), pool_size=2, kind="max"),
    "max_partial": dict(shape_in=(2, 5, 5), pool_size=3, strides=(2, 1), kind="max"),
}


def make_process(model, rng, make, mode="set"):
    process = make(rng)
    x, y = Signal(rng.uniform(-1, 1, process.default_size_in)), Signal(np.zeros(process.default_size_out))
    model.add_op(SimProcess(process, x, y, model.time, mode=mode))


def conv2d(rng, filters, biases=None, **options):
    biases = None if biases is None else rng.uniform(-1, 1, biases)
    return extras("convnet.Conv2d")(filters=rng.uniform(-1, 1, filters), biases=biases, **options)


def pool2d(rng, **options):
    return extras("convnet.Pool2d")(**options)


def neuron_rows():
    for name, make in {"soft_lif_rate": soft_lif_rate, "fast_lif": fast_lif}.items():
        yield Case(name, partial(make_neurons, make_type=make, scale=10), groups=1)
        yield Case(f"{name}_mended", partial(make_neurons, make_type=partial(make, find=mended), scale=10), groups=1)
    # Near the threshold
    yield Case("soft_lif_rate_mended_small", partial(
        make_neurons, make_type=partial(soft_lif_rate, find=mended), scale=1
    ), groups=1)


def learning_rows():
    yield Case("aml", make_aml, groups=1)
    yield Case("aml_same_rate", partial(make_aml, same=True), groups=1)


def image_rows():
    for kind, table, make in (("conv2d", CONV2D, conv2d), ("pool2d", POOL2D, pool2d)):
        for name, options in table.items():
            yield Case(f"{kind}_{name}", partial(make_process, make=partial(make, **options)), groups=1)
        yield Case(f"{kind}_inc", partial(make_process, make=partial(make, **next(iter(table.values()))), mode="inc"))


ROWS = {"neurons": neuron_rows, "learning_rules": learning_rows, "convnet": image_rows}

CASES = tuple(case._replace(needs=f"nengo_extras.{module}") for module, rows in ROWS.items() for case in rows())
