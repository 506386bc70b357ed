"""Sparse, convolutional and plain transforms, between objects of all kinds."""

import nengo
import numpy as np
import pytest
from comparing import compare

DENSE = np.random.RandomState(0).uniform(-1, 1, (5, 7)) * (np.random.RandomState(1).uniform(size=(5, 7)) < 0.4)
DENSE[2] = 0
ROWS, COLUMNS = np.nonzero(DENSE)
SHUFFLED = np.random.RandomState(2).permutation(len(ROWS))
X = np.random.RandomState(3).uniform(0.5, 1.5, 7)


def of_scipy(form):
    return lambda: nengo.Sparse((5, 7), init=getattr(pytest.importorskip("scipy.sparse"), form)(DENSE))


def entries(indices, values):
    dense = np.zeros((5, 7))
    np.add.at(dense, tuple(np.transpose(indices)), values)
    return dense


REPEATED = ([[0, 0], [0, 0], [4, 6], [0, 0]], [1.0, 2.0, 3.0, 0.5])
SPARSE = {
    "in order": (lambda: nengo.Sparse((5, 7), indices=np.transpose([ROWS, COLUMNS]), init=DENSE[ROWS, COLUMNS]), DENSE),
    "shuffled": (lambda: nengo.Sparse(
        (5, 7), indices=np.transpose([ROWS, COLUMNS])[SHUFFLED], init=DENSE[ROWS, COLUMNS][SHUFFLED]), DENSE),
    "repeated": (lambda: nengo.Sparse((5, 7), indices=REPEATED[0], init=REPEATED[1]), entries(*REPEATED)),
    "one": (lambda: nengo.Sparse((5, 7), indices=[[3, 2]], init=[-2.0]), entries([[3, 2]], [-2.0])),
    "scalar init": (lambda: nengo.Sparse((5, 7), indices=[[3, 2], [1, 1]], init=2), entries([[3, 2], [1, 1]], 2)),
    **{form: (of_scipy(form), DENSE) for form in ("csr_matrix", "csc_matrix", "coo_matrix")},
    "no entries": (lambda: nengo.Sparse((5, 7), init=pytest.importorskip("scipy.sparse").csr_matrix((5, 7))), np.zeros((5, 7))),
}


def sparse_network(make):
    """Between Nodes, between neurons, from neurons, into neurons, and into an ensemble."""
    with nengo.Network(seed=0) as net:
        source, target = nengo.Node(X), nengo.Node(size_in=5)
        gets = nengo.Ensemble(5, 1, neuron_type=nengo.RectifiedLinear(), gain=np.ones(5), bias=np.ones(5) * 10)
        puts = nengo.Ensemble(7, 1, neuron_type=nengo.RectifiedLinear(), gain=np.zeros(7), bias=X, encoders=np.ones((7, 1)))
        from_neurons, ensemble = nengo.Node(size_in=5), nengo.Ensemble(8, 5, n_eval_points=30)
        nengo.Connection(source, target, transform=make(), synapse=None)
        nengo.Connection(puts.neurons, gets.neurons, transform=make(), synapse=None)
        nengo.Connection(source, gets.neurons, transform=make(), synapse=0.01)
        nengo.Connection(puts.neurons, from_neurons, transform=make(), synapse=None)
        nengo.Connection(source, ensemble, transform=make())
        for probed in (target, gets.neurons, from_neurons, ensemble):
            nengo.Probe(probed)
    return net


@pytest.mark.filterwarnings("ignore:.*(divide|multiply|max_rates)")  # gains of zero
@pytest.mark.parametrize("form", SPARSE)
def test_sparse_is_as_dense(form):
    make, dense = SPARSE[form]
    nodes, _, from_neurons, _ = compare(lambda: sparse_network(make), 8)
    np.testing.assert_allclose(nodes, np.tile(dense @ X, (8, 1)), atol=1e-12)
    np.testing.assert_allclose(from_neurons, nodes, atol=1e-12)


CONVOLUTIONS = [
    ((7, 6), (3, 2), (2, 2), "valid"), ((6, 6), (3, 3), (1, 1), "same"), ((9,), (3,), (2,), "valid"), ((5,), (2,), (1,), "same"),
]


def adjoint_pair(shape, kernel_size, strides, padding, channels_last):
    """A convolution of x, and the transposed one, with the kernel's channels swapped, of y."""
    rng = np.random.RandomState(1)
    kernel = rng.uniform(-1, 1, (*kernel_size, 2, 3))
    shape_in = (*shape, 2) if channels_last else (2, *shape)
    settings = dict(kernel_size=kernel_size, strides=strides, padding=padding, channels_last=channels_last)
    forward = nengo.Convolution(3, shape_in, init=kernel, **settings)
    shape_out = forward.output_shape.shape
    backward = nengo.transforms.ConvolutionTranspose(2, shape_out, init=np.swapaxes(kernel, -1, -2), **settings)
    assert backward.output_shape.shape == shape_in
    x, y = rng.uniform(-1, 1, forward.input_shape.size), rng.uniform(-1, 1, forward.output_shape.size)
    with nengo.Network() as net:
        for transform, values in ((forward, x), (backward, y)):
            target = nengo.Node(size_in=transform.size_out)
            nengo.Connection(nengo.Node(values), target, transform=transform, synapse=None)
            nengo.Probe(target)
    return net, x, y


@pytest.mark.parametrize("channels_last", [True, False])
@pytest.mark.parametrize("shape, kernel_size, strides, padding", CONVOLUTIONS)
def test_transposed_convolutions_are_adjoint(shape, kernel_size, strides, padding, channels_last):
    net, x, y = adjoint_pair(shape, kernel_size, strides, padding, channels_last)
    of_x, of_y = compare(lambda: net, 2)
    np.testing.assert_allclose(of_x[-1] @ y, of_y[-1] @ x, rtol=1e-9)


def alike():
    """Nodes, filters and neurons that differ in sizes or parameters alone, so that they might be taken for one another."""
    with nengo.Network(seed=0) as net:
        source = nengo.Node(lambda t: [1000 * t, 1.0, 2.0])
        double = lambda t, x: 2 * x  # noqa: E731
        for size in (1, 2, 3):
            node = nengo.Node(double, size_in=size, size_out=size)
            nengo.Connection(source[:size], node, synapse=None)
            nengo.Probe(node)
        for tau_rc, tau_ref, amplitude in ((0.02, 0.002, 1), (0.05, 0.004, 1), (0.01, 0.001, 0.5)):
            for neuron_type in (nengo.LIFRate, nengo.LIF):
                ensemble = nengo.Ensemble(
                    2, 1, neuron_type=neuron_type(tau_rc, tau_ref, amplitude=amplitude), gain=[1.0, 1.0], bias=[3.0, 5.0]
                )
                nengo.Connection(source[0], ensemble)
                nengo.Probe(ensemble.neurons)
        for tau in (0.001, 0.01, 0.1):
            for size in (1, 3):
                target = nengo.Node(size_in=size)
                nengo.Connection(source[:size], target, transform=tau, synapse=tau)
                nengo.Probe(target)
        for values in ([1.0], [2.0], [[3.0]], [[4.0], [5.0]]):
            target = nengo.Node(size_in=len(values))
            nengo.Connection(source[1], target, transform=values, synapse=None)
            nengo.Probe(target)
    return net


def test_what_is_alike_is_not_mixed_up():
    data = compare(alike, 25)
    last = [x[-1] for x in data]
    np.testing.assert_allclose(np.concatenate(last[-4:]), [1, 2, 3, 4, 5])
    assert all(x.any() for x in data)
