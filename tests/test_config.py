"""Settings: of a network, and their defaults in nengo.rc."""

import nengo
import numpy as np
import pytest
from nengo.exceptions import ConfigError, NetworkContextError, ValidationError

from nengo_backend_tf import Simulator, configure_settings
from nengo_backend_tf.config import RC_SECTION, SETTINGS, Settings, read_settings

VALUES = {"dtype": "float32", "host_loop": "tensorflow", "stages": "all", "unroll_simulation": 3, "xla": False}
BAD = {"dtype": "int32", "host_loop": "gpu", "stages": 2, "unroll_simulation": 0, "xla": 1}


@pytest.fixture
def rc():
    """nengo.rc, which is as it was after the test."""
    before = {section: dict(nengo.rc.items(section)) for section in nengo.rc.sections()}
    yield nengo.rc
    nengo.rc.clear()
    nengo.rc.read_dict(before)


@pytest.fixture
def rc_section(rc):
    rc.add_section(RC_SECTION)
    return rc[RC_SECTION]


def test_each_setting_is_tested_and_has_a_default_in_the_record():
    assert set(VALUES) == set(BAD) == set(SETTINGS) == set(Settings._fields)
    assert Settings() == Settings(**{name: setting.default for name, setting in SETTINGS.items()})


@pytest.mark.parametrize("name", SETTINGS)
def test_network_before_rc_before_default(name, rc_section):
    with nengo.Network() as net:
        pass
    assert getattr(read_settings(net), name) == SETTINGS[name].default
    rc_section[name] = str(VALUES[name])
    assert getattr(read_settings(net), name) == VALUES[name]
    assert getattr(read_settings(None), name) == VALUES[name]
    with net:
        configure_settings(**{name: SETTINGS[name].default})
    assert getattr(read_settings(net), name) == SETTINGS[name].default


@pytest.mark.parametrize("name", SETTINGS)
def test_bad_values(name, rc_section):
    with nengo.Network():
        with pytest.raises(ValidationError, match=f"{name}.*{BAD[name]!r}, expected"):
            configure_settings(**{name: BAD[name]})
    rc_section[name] = str(BAD[name])
    with pytest.raises(ConfigError, match=rf"nengo.rc, \[{RC_SECTION}\]: {name} is {BAD[name]!r}. Expected"):
        Simulator(nengo.Network())


def test_unknown_names(rc_section):
    with nengo.Network():
        with pytest.raises(ConfigError, match="no setting 'xl'"):
            configure_settings(xl=True)
    rc_section["xl"] = "True"
    with pytest.raises(ConfigError, match="no setting 'xl'"):
        Simulator(nengo.Network())


def test_needs_a_network():
    with pytest.raises(NetworkContextError, match="configure_settings.*with net"):
        configure_settings(xla=False)


def test_reaches_the_simulator(rc_section):
    rc_section.update({"unroll_simulation": "3", "dtype": "float32"})
    with nengo.Network() as net:
        probe = nengo.Probe(nengo.Node(0.1))
    with Simulator(net, progress_bar=False) as sim:
        sim.run_steps(4)
        assert sim.unroll == 3
        assert sim.data[probe].dtype == np.float32
