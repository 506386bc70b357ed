"""`nengo_backend_tf.drop_in` puts the backend in nengo's place, and nengo back."""

import sys
from types import ModuleType

import nengo
import nengo.simulator
import pytest

import nengo_backend_tf
from nengo_backend_tf.drop_in import replace_references, simulator_replaced


def test_simulator_is_replaced_within_the_context_only(monkeypatch):
    original = nengo.Simulator
    module = ModuleType("imported_before")
    module.ItsSimulator = nengo.Simulator
    monkeypatch.setitem(sys.modules, "imported_before", module)
    places = [
        (nengo, "Simulator"),
        (nengo.simulator, "Simulator"),
        (module, "ItsSimulator"),
    ]

    with pytest.raises(ZeroDivisionError):
        with simulator_replaced():
            for namespace, name in places:
                assert getattr(namespace, name) is nengo_backend_tf.Simulator
            1 / 0

    for namespace, name in places:
        assert getattr(namespace, name) is original


def test_modules_that_load_when_read_stay_unloaded(monkeypatch):
    class Lazy(ModuleType):
        def __getattribute__(self, name):
            raise AssertionError(f"{name} was read")

    monkeypatch.setitem(sys.modules, "lazy_module", Lazy("lazy_module"))
    monkeypatch.setitem(sys.modules, "not_a_module", object())

    assert replace_references(object(), None) == []


def test_this_package_keeps_its_references(monkeypatch):
    module = ModuleType("nengo_backend_tf.some_part")
    module.base = old = object()
    monkeypatch.setitem(sys.modules, "nengo_backend_tf.some_part", module)

    assert replace_references(old, None) == []
    assert module.base is old
