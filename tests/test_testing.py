"""The ``--simulator`` flag of `nengo_backend_tf.testing`."""

from importlib.metadata import distributions, entry_points
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Pytest loads the plugin by itself where the package is installed, and only once.
INSTALLED = bool(entry_points(group="pytest11", name="nengo_backend_tf"))
PLUGIN = [] if INSTALLED else ["-p", "nengo_backend_tf.testing"]
# nengo's test of entry points wants every requirement by its name; tensorflow-cpu, say, is not "tensorflow".
COMPLETE = INSTALLED and any(distributions(name="tensorflow"))
USAGE_ERROR = pytest.ExitCode.USAGE_ERROR


@pytest.fixture
def run_pytest(pytester, monkeypatch):
    """Run pytest in a process and a folder of its own, with the plugin loaded."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*arguments):
        return pytester.runpytest_subprocess(*PLUGIN, *arguments)

    return run


@pytest.fixture
def backend(pytester):
    """A module with a simulator, and a test file that says which simulator it got."""
    pytester.makepyfile(
        its_backend="""
            import nengo
            class Mine(nengo.Simulator):
                pass
            def load(request):
                return nengo.Simulator
            not_a_class = 3
        """,
        broken_backend="import no_such_module_anywhere",
        test_it="""
            def test_name(Simulator):
                print(f"the simulator is {Simulator.__module__}.{Simulator.__name__}")
        """,
    )


def collected(result):
    """Return the names of the collected tests, and how many of all tests they are."""
    names = [line for line in result.outlines if "::" in line]
    (counts,) = (line for line in result.outlines if "tests collected (" in line)
    return names, counts.partition(" in ")[0]


def test_same_tests_as_with_the_ini_option(run_pytest):
    nengo_tests = ["--pyargs", "nengo.tests.test_simulator", "--collect-only", "-q"]
    name = "nengo_backend_tf.Simulator"

    by_flag = run_pytest(*nengo_tests, "--simulator", name)
    by_ini = run_pytest(*nengo_tests, "-o", f"nengo_simulator={name}")

    assert by_flag.ret == by_ini.ret == 0
    assert collected(by_flag) == collected(by_ini)
    assert len(collected(by_flag)[0]) > 10


def test_nengo_tests_run_on_the_named_class(run_pytest):
    result = run_pytest(
        "--pyargs",
        "nengo.tests.test_simulator",
        "--simulator=nengo.Simulator",
        "-k=steps or time_absolute",
    )

    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*nengo simulator: nengo.Simulator*"])


@pytest.mark.skipif(not COMPLETE, reason="needs the package and all its requirements installed")
def test_nengo_finds_this_backend_by_its_entry_point(run_pytest):
    result = run_pytest(
        "--pyargs",
        "nengo.tests.test_simulator",
        "--simulator=nengo_backend_tf.Simulator",
        "-k=entry_point",
    )

    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("workers", [[], ["-n", "2"]], ids=["one process", "xdist"])
def test_fixture_is_the_named_class(workers, run_pytest, backend):
    result = run_pytest("--simulator", "its_backend.Mine", "-rP", *workers)

    assert result.ret == 0
    result.stdout.fnmatch_lines(["the simulator is its_backend.Mine"])


def test_flag_wins_over_ini_file(run_pytest, backend, pytester):
    pytester.makeini("[pytest]\nnengo_simulator = no_such_module.Simulator")

    result = run_pytest("--simulator", "its_backend.Mine", "-s")

    result.stdout.fnmatch_lines(["*the simulator is its_backend.Mine*"])


def test_loader_of_the_ini_file_stays_first(run_pytest, backend, pytester):
    pytester.makeini("[pytest]\nnengo_simloader = its_backend.load")

    result = run_pytest("--simulator", "its_backend.Mine", "-s")

    result.stdout.fnmatch_lines(
        [
            "nengo simulator: the one of nengo_simloader = its_backend.load*",
            "*the simulator is nengo.simulator.Simulator*",
        ]
    )


@pytest.mark.parametrize(
    "name, message",
    [
        ("Simulator", "Got a name without a module."),
        (".Simulator", "Got a name without a module."),
        ("its_backend.", "Got a name without a module."),
        ("its_backend.Missing", "Got a module without 'Missing'."),
        ("its_backend.not_a_class", "Got no class but 3."),
        ("no_such_module.Sim", "*No module named 'no_such_module'*"),
        ("broken_backend.Sim", "*No module named 'no_such_module_anywhere'*"),
    ],
)
def test_wrong_name_is_a_usage_error(name, message, run_pytest, backend):
    result = run_pytest("--simulator", name)

    assert result.ret == USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --simulator {name}: expected*{message}"])


def test_two_simulators_on_the_command_line_are_a_usage_error(run_pytest, backend):
    result = run_pytest(
        "--simulator", "its_backend.Mine", "-o", "nengo_simulator=nengo.Simulator"
    )

    assert result.ret == USAGE_ERROR
    result.stderr.fnmatch_lines(["*was set to 'nengo.Simulator' too*"])


def test_missing_nengo_plugin_is_a_usage_error(run_pytest, backend):
    result = run_pytest("--simulator", "its_backend.Mine", "-p", "no:nengo")

    assert result.ret == USAGE_ERROR
    result.stderr.fnmatch_lines(["*nengo's pytest plugin is not loaded*"])


def test_tensorflow_is_not_imported(run_pytest, pytester):
    pytester.makepyfile(
        """
        import sys
        def test_modules():
            assert "nengo_backend_tf.testing" in sys.modules
            assert "tensorflow" not in sys.modules
        """
    )

    run_pytest().assert_outcomes(passed=1)


def test_nengorc_takes_the_place_of_the_users_settings(run_pytest, pytester):
    pytester.makefile(".nengorc", mine="[precision]\nbits = 32\n", broken="bits = 32\n")
    pytester.makepyfile("import nengo\ndef test_it():\n    assert nengo.rc.float_dtype == 'float32'")
    run_pytest("--nengorc", "mine.nengorc").assert_outcomes(passed=1)
    run_pytest().assert_outcomes(failed=1)
    for name, reason in [("broken", "MissingSectionHeader|no section headers"), ("absent", "No such file")]:
        result = run_pytest("--nengorc", f"{name}.nengorc")
        assert result.ret == USAGE_ERROR
        result.stderr.re_match_lines([rf".*--nengorc {name}.nengorc: expected a file of nengo's settings. Got.*({reason}).*"])
