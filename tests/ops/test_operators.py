"""Every operator computes what nengo's own step function computes, however it is grouped, batched and compiled."""

import numpy as np
import pytest
from cases import CASES
from harness import STEPS, assert_close, build, fallback, names_of, run_compiled, run_nengo

from nengo_backend_tf import engine

ITEMS = 3

every_case = pytest.mark.parametrize("case", CASES, ids=[c.name for c in CASES])


def test_names_are_unique():
    names = [c.name for c in CASES]
    assert len(set(names)) == len(names)


@every_case
def test_forward(case):
    """All members together, after each step, and as ``sim.signals`` shows them after the last."""
    members = range(case.members)
    built = build(case, members)
    expected = run_nengo(build(case, members))
    with fallback(case):
        result = run_compiled(built)
    assert_close(result.recorded, expected, case.rtol, names_of(built))
    assert_close(result.final, [e[-1] for e in expected], case.rtol, names_of(built))
    assert bool(result.program.on_host) == case.on_host
    assert not result.program.on_arrays
    if case.groups is not None:
        assert len(result.program.layout.groups) == case.groups


@every_case
@pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")
def test_members_alone(case):
    """What a group computes is what each member computes alone, also where TensorFlow computes it without XLA."""
    built = build(case, range(case.members))
    together = run_compiled(built, xla=False)
    alone = [run_compiled(build(case, [m]), xla=False).recorded for m in range(case.members)]
    assert_close(together.recorded, [x for member in alone for x in member], case.rtol, names_of(built))


@every_case
@pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")
def test_on_arrays(case, monkeypatch):
    """NumPy computes the same, wherever it can."""
    monkeypatch.setattr(engine, "TENSORFLOW_CALL", np.inf)
    built, expected = (build(case, range(case.members)) for _ in range(2))
    result = run_compiled(built, on_arrays=True)
    assert result.program.on_arrays == np.isfinite(result.program.array_cost)
    assert_close(result.recorded, run_nengo(expected), case.rtol, names_of(built))


@every_case
@pytest.mark.filterwarnings("ignore::nengo_backend_tf.ops.HostFallbackWarning")
def test_minibatch(case):
    """Each item of a minibatch is what it would be on its own."""
    members = range(case.members)
    items = [build(case, members, item) for item in range(ITEMS)]
    data = {
        signal: np.stack([b.driven[i][1] for b in items], axis=1) for i, (signal, _) in enumerate(items[0].driven)
    }
    compared = 1 if case.own_stream else ITEMS
    expected = [np.stack(x, axis=1) for x in zip(*(run_nengo(build(case, members, i)) for i in range(compared)))]
    recorded = run_compiled(items[0], batch=ITEMS, data=data).recorded
    assert_close([x[:, :compared] for x in recorded], expected, case.rtol, names_of(items[0]))
    assert all(x.shape[:2] == (STEPS, ITEMS) for x in recorded)
