"""Reads against dense evaluation: whatever operations a read is resolved to, it gives what the Affines say."""

import numpy as np
import pytest
import tensorflow as tf

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.affine import Affine, Term
from nengo_backend_tf.memory import access
from nengo_backend_tf.memory.access import reader
from nengo_backend_tf.memory.arrays import array_reader
from nengo_backend_tf.memory.layout import Block, Layout, Place, group_shape

FLOAT = np.dtype(float)
FORMS = ["flat", "stacked", "minor"]


def random_layout(rng, dtype=FLOAT, members=3):
    """Blocks of all forms, with values that lie one after the other, or interleaved."""
    blocks, places = [], {}
    for shape in [(5,), (2, 3), (members, 4), (2, 2, members)]:
        block = len(blocks)
        blocks.append(Block(shape, dtype, "kernel"))
        size = blocks[-1].size
        if rng.rand() < 0.5:
            cut = int(rng.randint(1, size))
            places[len(places)] = Place(block, 0, 1, cut)
            places[len(places)] = Place(block, cut, 1, size - cut)
        else:
            step = shape[-1]
            for g in range(step):
                places[len(places)] = Place(block, g, step, size // step)
        if rng.rand() < 0.3:
            places[len(places)] = Place(block, 0, 1, size)
    return Layout(tuple(blocks), places, (), (), ())


def random_term(rng, size, places, integer):
    value = int(rng.choice(list(places)))
    n = places[value].size
    if n == size and rng.rand() < 0.3:
        return Term(value)
    kind = rng.choice(["run", "any", "some"])
    if kind == "run" and n >= size:
        start = rng.randint(0, n - size + 1)
        source, target, count = np.arange(start, start + size), None, size
    elif kind == "some":
        target = rng.permutation(size)[: rng.randint(1, size + 1)]
        target = np.sort(target) if rng.rand() < 0.5 else target
        count = len(target)
        source = rng.randint(0, n, count)
    else:
        source, target, count = rng.randint(0, n, size), None, size
    if rng.rand() < 0.5:
        return Term(value, source, target)
    scale = rng.randint(-3, 4, count).astype(float) if integer else rng.randn(count)
    return Term(value, source, target, float(scale[0]) if rng.rand() < 0.5 else scale)


def random_affine(rng, size, places, most_terms=3, integer=False):
    terms = tuple(random_term(rng, size, places, integer) for _ in range(rng.randint(0, most_terms + 1)))
    constant = rng.randint(-5, 6, size).astype(int if integer else float) if rng.rand() < 0.4 else None
    return Affine(size, terms, constant)


def random_blocks(rng, layout, lead):
    arrays = {b: rng.randn(*lead, *block.shape) for b, block in enumerate(layout.blocks)}
    if layout.blocks[0].dtype.kind != "f":
        return {b: rng.randint(-9, 10, x.shape).astype(layout.blocks[b].dtype) for b, x in arrays.items()}
    return {b: x.astype(layout.blocks[b].dtype) for b, x in arrays.items()}


def dense(affine, blocks, layout, lead):
    total = np.zeros((*lead, affine.size))
    if affine.constant is not None:
        total += affine.constant
    for term in affine.terms:
        place = layout.places[term.value]
        values = blocks[place.block].reshape(*lead, -1)[..., place.start : place.start + place.step * place.size : place.step]
        assert values.shape[-1] == place.size
        picked = values if term.source is None else values[..., term.source]
        for k, target in enumerate(np.arange(affine.size) if term.target is None else term.target):
            total[..., target] += np.broadcast_to(term.scale, picked.shape[-1:])[k] * picked[..., k]
    return total


def expected_array(affines, form, shape, blocks, layout, lead):
    members = [dense(a, blocks, layout, lead) for a in affines]
    if form == "minor":
        return np.stack(members, -1).reshape(*lead, *shape)
    return np.concatenate(members, -1).reshape(*lead, *shape)


def assert_reads(affines, form, shape, layout, rng, lead=(), dtype=FLOAT, **tolerance):
    blocks = random_blocks(rng, layout, lead)
    expected = expected_array(affines, form, shape, blocks, layout, lead)
    tensors = {b: tf.constant(x) for b, x in blocks.items()}
    got = reader(affines, form, shape, layout, dtype)(tensors)
    got = np.asarray(got)
    assert got.dtype == dtype
    np.testing.assert_allclose(np.broadcast_to(got, expected.shape), expected, **({"rtol": 1e-12, "atol": 1e-12} | tolerance))
    if lead == ():
        assert got.shape == tuple(shape)
        array = array_reader(affines, form, shape, layout, dtype)(blocks)
        assert array.shape == tuple(shape) and array.dtype == dtype
        np.testing.assert_allclose(array, expected, **({"rtol": 1e-12, "atol": 1e-12} | tolerance))


def random_case(rng, form, layout, **kwargs):
    members = int(rng.randint(1, 4))
    if form == "flat":
        sizes = rng.randint(1, 6, members)
        affines = [random_affine(rng, int(n), layout.places, **kwargs) for n in sizes]
        return affines, (int(sizes.sum()),)
    shape = [(4,), (2, 2), (1,), (2, 3)][rng.randint(4)]
    affines = [random_affine(rng, int(np.prod(shape)), layout.places, **kwargs) for _ in range(members)]
    return affines, group_shape(form, shape, members, None)


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("lead", [(), (2,), (1,)])
@pytest.mark.parametrize("form", FORMS)
def test_random_reads(form, lead, seed):
    rng = np.random.RandomState(seed)
    layout = random_layout(rng)
    affines, shape = random_case(rng, form, layout)
    assert_reads(affines, form, shape, layout, rng, lead)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("form", FORMS)
def test_integers(form, seed):
    rng = np.random.RandomState(seed)
    layout = random_layout(rng, np.dtype(np.int64))
    affines, shape = random_case(rng, form, layout, integer=True)
    assert_reads(affines, form, shape, layout, rng, dtype=np.dtype(np.int64))


@pytest.mark.parametrize("seed", range(10))
def test_single_precision(seed):
    rng = np.random.RandomState(seed)
    layout = random_layout(rng, np.dtype(np.float32))
    affines, shape = random_case(rng, "stacked", layout)
    assert_reads(affines, "stacked", shape, layout, rng, (2,), np.dtype(np.float32), rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("dtype", [np.int32, np.float32])
def test_other_dtype_than_the_blocks(dtype, seed):
    """A block of integers is cast before it is scaled."""
    rng = np.random.RandomState(seed)
    layout = random_layout(rng, np.dtype(np.int64))
    affines, shape = random_case(rng, "flat", layout, integer=True)
    assert_reads(affines, "flat", shape, layout, rng, dtype=np.dtype(dtype))


@pytest.mark.parametrize("affine", [aff.whole(0, 4), aff.part(0, 1, 2), aff.take(aff.whole(0, 4), np.array([3, 0]))])
def test_integers_that_are_read_as_floats(affine):
    """A whole block and a slice of it are cast too, though they need not be gathered."""
    layout = Layout((Block((4,), np.dtype(np.int64), "kernel"),), {0: Place(0, 0, 1, 4)}, (), (), ())
    assert_reads([affine], "flat", (affine.size,), layout, np.random.RandomState(0))


def test_booleans():
    """Sums of booleans are a logical or, as NumPy has it."""
    layout = Layout((Block((4,), np.dtype(bool), "kernel"),), {0: Place(0, 0, 1, 4)}, (), (), ())
    block = {0: tf.constant([True, False, True, False])}
    total = aff.add(aff.whole(0, 4), aff.take(aff.whole(0, 4), np.array([0, 0, 1, 1])))
    got = reader([total], "flat", (4,), layout, np.dtype(bool))(block)
    assert got.dtype == bool
    np.testing.assert_array_equal(got, [True, True, True, False])
    got = array_reader([total], "flat", (4,), layout, np.dtype(bool))({0: block[0].numpy()})
    assert got.dtype == bool
    np.testing.assert_array_equal(got, [True, True, True, False])


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("most", [0, 1, 3])
def test_few_gathers(monkeypatch, seed, most):
    """Reads that add up many elements are products with a matrix; from how many on makes no difference."""
    monkeypatch.setattr(access, "MAX_GATHERS", most)
    rng = np.random.RandomState(seed)
    layout = random_layout(rng)
    affines, shape = random_case(rng, "stacked", layout, most_terms=8)
    assert_reads(affines, "stacked", shape, layout, rng)
    assert_reads(affines, "stacked", shape, layout, rng, (2,))


@pytest.mark.parametrize("seed", range(10))
def test_no_matrices(monkeypatch, seed):
    monkeypatch.setattr(access, "MAX_MATRIX", 0)
    monkeypatch.setattr(access, "MAX_PIECES", 1)
    rng = np.random.RandomState(seed)
    layout = random_layout(rng)
    affines, shape = random_case(rng, "flat", layout, most_terms=30)
    assert_reads(affines, "flat", shape, layout, rng, (2,))


def operations(affines, form, shape, layout):
    """Names of the TensorFlow operations of a read."""
    read = reader(affines, form, shape, layout, FLOAT)

    @tf.function
    def function(*tensors):
        return read(dict(enumerate(tensors)))

    graph = function.get_concrete_function(*(tf.TensorSpec(b.shape, b.dtype) for b in layout.blocks)).graph
    return {op.type for op in graph.get_operations()} - {"Placeholder", "Const", "Identity"}


def one_block(shape=(2, 6), places=None):
    return Layout((Block(shape, FLOAT, "kernel"),), places or {0: Place(0, 0, 1, 6), 1: Place(0, 6, 1, 6)}, (), (), ())


def test_cheap_reads_stay_cheap():
    layout = one_block()
    a, b = aff.whole(0, 6), aff.whole(1, 6)
    assert operations([a, b], "stacked", (2, 6), layout) == set(), "a whole block is read as it is"
    assert operations([aff.scale(a, 2.0), aff.scale(b, 2.0)], "stacked", (2, 6), layout) == {"Mul"}
    assert operations([b], "flat", (6,), layout) <= {"Reshape", "StridedSlice"}
    assert operations([b, a], "flat", (12,), layout) <= {"Reshape", "StridedSlice", "ConcatV2"}
    assert operations([aff.take(a, np.array([3, 0, 5, 1] * 3))], "flat", (12,), layout) <= {"Reshape", "GatherV2"}
    minor = one_block((6, 2), {0: Place(0, 0, 2, 6), 1: Place(0, 1, 2, 6)})
    assert operations([a, b], "minor", (6, 2), minor) == set()
    assert operations([aff.scale(a, np.arange(6.0)), b], "minor", (6, 2), minor) == {"Mul"}
    assert_reads([aff.scale(a, np.arange(6.0)), b], "minor", (6, 2), minor, np.random.RandomState(0))


def test_constant_reads_have_no_leading_axis():
    got = reader([aff.constant(np.arange(4.0))], "stacked", (1, 4), one_block(), FLOAT)({0: tf.zeros((3, 2, 6), tf.float64)})
    np.testing.assert_array_equal(got, [[0, 1, 2, 3]])


def test_a_large_constant_is_captured():
    """It would otherwise be part of the graph, whose size is limited."""
    small = reader([aff.constant(np.zeros(10))], "flat", (10,), one_block(), FLOAT)({})
    large = reader([aff.constant(np.zeros(10_000))], "flat", (10_000,), one_block(), FLOAT)({})
    assert isinstance(small, np.ndarray) and isinstance(large, tf.Tensor)
