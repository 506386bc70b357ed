"""Errors say what was being built."""

import nengo
import pytest

from nengo_backend_tf import Simulator
from nengo_backend_tf.building import naming_built_objects


def test_objects_are_named_from_the_part_to_the_network():
    class Fails(nengo.solvers.LstsqL2):
        def __call__(self, *args, **kwargs):
            raise RuntimeError("no solution")

    with nengo.Network(label="outer", seed=0) as net:
        with nengo.Network(label="inner"):
            a = nengo.Ensemble(5, 1, label="a")
            nengo.Connection(a, nengo.Node(size_in=1), solver=Fails(), label="decoded")
    with pytest.raises(RuntimeError) as info:
        Simulator(net, progress_bar=False)
    assert str(info.value) == "no solution"
    (note,) = info.value.__notes__
    found = [note.index(word) for word in ("Fails", "decoded", "inner", "outer")]
    assert note.startswith("Raised while building ") and found == sorted(found)


def test_errors_from_elsewhere_get_no_note():
    with pytest.raises(ValueError) as info, naming_built_objects():
        raise ValueError
    assert not hasattr(info.value, "__notes__")
