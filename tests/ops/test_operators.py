"""Every operator computes what nengo's own step function computes, however it is grouped, batched and compiled."""

import numpy as np
import pytest
from cases import CASES
from harness import STEPS, assert_close, build, names_of, run_compiled, run_nengo

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
    result = run_compiled(built)
    assert_close(result.recorded, expected, case.rtol, names_of(built))
    assert_close(result.final, [e[-1] for e in expected], case.rtol, names_of(built))
    assert bool(result.program.on_host) == case.on_host
    if case.groups is not None:
        assert len(result.program.layout.groups) == case.groups


@every_case
def test_members_alone(case):
    """What is computed in a group is what each member computes alone; and what XLA compiles, what TensorFlow computes."""
    built = build(case, range(case.members))
    together = run_compiled(built, xla=False)
    alone = [run_compiled(build(case, [m]), xla=False).recorded for m in range(case.members)]
    assert_close(together.recorded, [x for member in alone for x in member], case.rtol, names_of(built))


@every_case
def test_minibatch(case):
    """Each item of a minibatch is what it would be on its own."""
    members = range(case.members)
    per_item = [build(case, members, item) for item in range(ITEMS)]
    built = per_item[0]
    data = {
        signal: np.stack([b.driven[i][1] for b in per_item], axis=1) for i, (signal, _) in enumerate(built.driven)
    }
    expected = [np.stack(x, axis=1) for x in zip(*(run_nengo(b) for b in per_item))]
    result = run_compiled(build(case, members), batch=ITEMS) if not data else run_compiled(built, batch=ITEMS, data=data)
    assert_close(result.recorded, expected, case.rtol, names_of(built))
    assert all(len(x) == STEPS for x in result.recorded)
