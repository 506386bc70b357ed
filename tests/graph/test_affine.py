"""Affines against dense matrices: every operation must do what its matrix does."""

import numpy as np
import pytest

from nengo_backend_tf.graph import affine as aff
from nengo_backend_tf.graph.affine import Affine, Term

#: Sizes of the values that random Affines read.
SIZES = (1, 4, 7)
SEEDS = range(25)


def dense(affine):
    """The Affine as (matrix, constant), with all values one after the other as the vector that is read."""
    starts = np.cumsum((0, *SIZES))
    matrix, constant = np.zeros((affine.size, sum(SIZES))), np.zeros(affine.size)
    if affine.constant is not None:
        assert affine.constant.shape == (affine.size,)
        constant = affine.constant.astype(float)
    for term in affine.terms:
        source = np.arange(SIZES[term.value]) if term.source is None else term.source
        target = np.arange(affine.size) if term.target is None else term.target
        assert len(source) == len(target)
        assert len(np.unique(target)) == len(target), "a term adds to an element twice"
        np.add.at(matrix, (target, starts[term.value] + source), np.broadcast_to(term.scale, len(source)))
    return matrix, constant


def assert_is(affine, matrix, constant):
    got = dense(affine)
    np.testing.assert_allclose(got[0], matrix, rtol=0, atol=1e-14)
    np.testing.assert_allclose(got[1], constant, rtol=0, atol=1e-14)
    assert affine.size == len(matrix)


def random_term(rng, size):
    value = int(rng.choice([v for v, n in enumerate(SIZES) if n == size] or [-1]))
    if value >= 0 and rng.rand() < 0.3:
        source, target = None, None
    else:
        value = int(rng.randint(len(SIZES)))
        if rng.rand() < 0.5:
            target, count = None, size
        else:
            target = rng.permutation(size)[: rng.randint(1, size + 1)]
            count = len(target)
        source = rng.randint(0, SIZES[value], count)
    count = size if target is None else len(target)
    scale = 1.0 if rng.rand() < 0.4 else float(rng.randn()) if rng.rand() < 0.5 else rng.randn(count)
    return Term(value, source, target, scale)


def random_affine(rng, size):
    terms = tuple(random_term(rng, size) for _ in range(rng.randint(0, 4)))
    return Affine(size, terms, rng.randn(size) if rng.rand() < 0.5 else None)


def test_random_affines_are_of_all_kinds():
    """Or else the tests below would show little."""
    found = [random_affine(np.random.RandomState(seed), 4) for seed in SEEDS]
    terms = [t for a in found for t in a.terms]
    assert any(a.is_constant for a in found) and any(a.constant is None for a in found)
    for attribute in ("source", "target"):
        assert {getattr(t, attribute) is None for t in terms} == {True, False}
    assert {np.ndim(t.scale) for t in terms} == {0, 1}


def test_constant():
    affine = aff.constant(np.arange(6.0).reshape(2, 3))
    assert affine.is_constant and affine.values() == set()
    assert_is(affine, np.zeros((6, sum(SIZES))), np.arange(6.0))
    np.testing.assert_array_equal(Affine(2).constant_array(), [0, 0])


def test_whole_and_part():
    assert_is(aff.whole(1, 4), np.eye(sum(SIZES))[1:5], np.zeros(4))
    assert_is(aff.part(2, 3, 2), np.eye(sum(SIZES))[8:10], np.zeros(2))
    assert aff.whole(1, 4).values() == {1}


@pytest.mark.parametrize("seed", SEEDS)
def test_take(seed):
    rng = np.random.RandomState(seed)
    affine = random_affine(rng, 4)
    index = rng.randint(0, 4, rng.randint(1, 9))
    matrix, constant = dense(affine)
    assert_is(aff.take(affine, index), matrix[index], constant[index])
    assert_is(aff.take(affine, None), matrix, constant)


def test_replacing_all_elements_reads_nothing_of_before():
    """A whole signal that is set by a list of indices does not depend on its value before."""
    replaced = aff.replace(aff.whole(1, 4), np.array([2, 0, 3, 1]), aff.constant(np.arange(4.0)))
    assert replaced.is_constant
    np.testing.assert_array_equal(replaced.constant, [1, 3, 0, 2])


def test_take_leaves_out_what_is_not_taken():
    affine = aff.place(aff.whole(1, 4), np.arange(4), 6)
    assert aff.take(affine, np.array([4, 5])).terms == ()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("repeats", [False, True])
def test_place(seed, repeats):
    rng = np.random.RandomState(seed)
    affine = random_affine(rng, 4)
    index = rng.randint(0, 6, 4) if repeats else rng.permutation(6)[:4]
    select = np.zeros((6, 4))
    np.add.at(select, (index, np.arange(4)), 1)
    matrix, constant = dense(affine)
    assert_is(aff.place(affine, index, 6), select @ matrix, select @ constant)
    assert_is(aff.place(affine, None, 4), matrix, constant)


@pytest.mark.parametrize("seed", SEEDS)
def test_add(seed):
    rng = np.random.RandomState(seed)
    a, b = random_affine(rng, 5), random_affine(rng, 5)
    assert_is(aff.add(a, b), dense(a)[0] + dense(b)[0], dense(a)[1] + dense(b)[1])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("shape", [(), (1,), (5,)])
def test_scale(seed, shape):
    rng = np.random.RandomState(seed)
    affine, factor = random_affine(rng, 5), rng.randn(*shape)
    matrix, constant = dense(affine)
    by = np.broadcast_to(factor, 5)
    assert_is(aff.scale(affine, factor), by[:, None] * matrix, by * constant)


def test_scale_of_one_element():
    """The factor is as long as the Affine, and a scalar, at once."""
    assert_is(aff.scale(aff.whole(0, 1), np.array([3.0])), 3 * np.eye(sum(SIZES))[:1], np.zeros(1))


@pytest.mark.parametrize("seed", SEEDS)
def test_replace(seed):
    rng = np.random.RandomState(seed)
    affine, index = random_affine(rng, 6), rng.permutation(6)[: rng.randint(1, 7)]
    by = random_affine(rng, len(index))
    matrix, constant = dense(affine)
    matrix[index], constant[index] = dense(by)
    assert_is(aff.replace(affine, index, by), matrix, constant)
    assert aff.replace(affine, None, by) is by


@pytest.mark.parametrize("seed", SEEDS)
def test_select_rows(seed):
    rng = np.random.RandomState(seed)
    affine, matrix = random_affine(rng, 5), np.zeros((6, 5))
    for row in rng.permutation(6)[: rng.randint(0, 7)]:
        matrix[row, rng.randint(5)] = rng.randn()
    assert_is(aff.select_rows(affine, matrix), matrix @ dense(affine)[0], matrix @ dense(affine)[1])


@pytest.mark.parametrize("seed", range(100))
def test_compositions(seed):
    rng = np.random.RandomState(seed)
    affine = random_affine(rng, 5)
    matrix, constant = dense(affine)
    for _ in range(6):
        size = affine.size
        operation = rng.choice(["take", "place", "add", "scale", "replace"])
        if operation == "take":
            index = rng.randint(0, size, rng.randint(1, 8))
            affine, matrix, constant = aff.take(affine, index), matrix[index], constant[index]
        elif operation == "place":
            index, new = rng.randint(0, size + 2, size), size + 2
            select = np.zeros((new, size))
            np.add.at(select, (index, np.arange(size)), 1)
            affine, matrix, constant = aff.place(affine, index, new), select @ matrix, select @ constant
        elif operation == "add":
            other = random_affine(rng, size)
            affine, matrix, constant = aff.add(affine, other), matrix + dense(other)[0], constant + dense(other)[1]
        elif operation == "scale":
            factor = rng.randn(size)
            affine, matrix, constant = aff.scale(affine, factor), factor[:, None] * matrix, factor * constant
        else:
            index = rng.permutation(size)[: rng.randint(1, size + 1)]
            other = random_affine(rng, len(index))
            affine = aff.replace(affine, index, other)
            matrix, constant = matrix.copy(), constant.copy()
            matrix[index], constant[index] = dense(other)
        assert_is(affine, matrix, constant)


def test_operands_stay_as_they_are():
    rng = np.random.RandomState(0)
    for seed in range(20):
        affine, other = random_affine(rng, 4), random_affine(rng, 4)
        before = [dense(affine), dense(other)]
        aff.take(affine, np.array([1, 1]))
        aff.place(affine, np.array([0, 0, 1, 2]), 5)
        aff.add(affine, other)
        aff.scale(affine, np.arange(4.0))
        aff.replace(affine, np.array([2]), aff.constant([1.0]))
        for a, (matrix, constant) in zip((affine, other), before):
            assert_is(a, matrix, constant)


def test_key():
    def made(seed):
        return random_affine(np.random.RandomState(seed), 5)

    for seed in SEEDS:
        assert aff.key(made(seed)) == aff.key(made(seed))
    affines = {aff.key(made(seed)): made(seed) for seed in range(60)}
    assert len(affines) > 50
    for seed in range(60):
        assert_is(affines[aff.key(made(seed))], *dense(made(seed)))
    assert aff.key(aff.whole(0, 1)) != aff.key(aff.whole(1, 1))
    assert aff.key(Affine(2)) != aff.key(Affine(3))
