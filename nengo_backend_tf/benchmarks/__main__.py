"""Compare simulators on the standard models: ``python -m nengo_backend_tf.benchmarks``."""

import argparse
import json
import os
import sys
from contextlib import nullcontext
from importlib import import_module

import nengo

from .measure import Candidate, measure_model, warm_up
from .models import MODELS
from .report import HEADER, as_data, format_rows


def main(argv=None):
    """Measure the models that the arguments name and print a table.

    Parameters
    ----------
    argv : list of str, optional
        Command line arguments, those of the process if not given.

    Returns
    -------
    int
        Exit code.
    """
    parser = make_parser()
    args = parser.parse_args(argv)
    for line in openblas_warnings(os.environ):
        print(line, file=sys.stderr)
    candidates = [Candidate("nengo", nengo.Simulator), *_own_candidates(), *(args.simulator or ())]
    # With JSON on stdout the table moves aside, so that stdout can be parsed.
    table = sys.stderr if args.json == "-" else sys.stdout
    # Opened before anything is measured: a path that cannot be written should not cost minutes.
    try:
        json_context = _open_json(args.json)
    except OSError as error:
        parser.error(f"argument --json: {args.json!r} must be a file that can be written. Got: {error}")
    with json_context as json_file:
        models = _measure(args, candidates, table)
        if json_file is not None:
            json.dump({"steps": args.steps, "repeats": args.repeats, "models": models}, json_file, indent=2)
            json_file.write("\n")
    return 0


def make_parser():
    """The parser of the command line.

    Returns
    -------
    argparse.ArgumentParser
    """
    parser = argparse.ArgumentParser(prog="python -m nengo_backend_tf.benchmarks", description=__doc__.split(":")[0])
    add = parser.add_argument
    add("--model", nargs="+", action="extend", metavar="NAME", choices=list(MODELS), help=", ".join(MODELS))
    add("--steps", type=_positive_int, default=1000, help="timesteps of a steady run (default: 1000)")
    add("--repeats", type=_positive_int, default=5, help="steady runs, of which the median counts (default: 5)")
    add("--json", metavar="FILE", help="write all figures there; - is stdout, and sends the table to stderr")
    add(
        "--simulator",
        nargs="+",
        action="extend",
        type=_extra_candidate,
        metavar="MODULE.CLASS",
        help="more simulators to compare, as they are by default",
    )
    return parser


def openblas_warnings(environ):
    """Warnings about variables that make the comparison unfair.

    Parameters
    ----------
    environ : mapping
        Environment variables.

    Returns
    -------
    list of str
    """
    return [
        f"Warning: {name}={environ[name]} slows down nengo.Simulator, which makes the ratios too large. "
        "Unset it and measure again."
        for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
        if name in environ
    ]


def _measure(args, candidates, table):
    """Measure and print model by model; returns name -> plain data."""
    warm_up()
    models = {}
    print(HEADER, file=table, flush=True)
    for name in args.model or MODELS:
        measurements = measure_model(MODELS[name], candidates, args.steps, args.repeats)
        print(format_rows(name, measurements), file=table, flush=True)
        models[name] = as_data(measurements)
    return models


def _own_candidates():
    from nengo_backend_tf import Simulator

    return [Candidate(f"nengo_backend_tf {dtype}", Simulator, dtype) for dtype in ("float64", "float32")]


def _extra_candidate(path):
    module, _, name = path.rpartition(".")
    try:
        return Candidate(path, getattr(import_module(module), name))
    except (ImportError, AttributeError, ValueError) as error:
        raise argparse.ArgumentTypeError(
            f"{path!r} must be an importable MODULE.CLASS, such as nengo.Simulator. Got: {error}"
        ) from error


def _positive_int(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"must be a positive whole number. Got {text!r}")
    return int(text)


def _open_json(path):
    if path is None or path == "-":
        return nullcontext(None if path is None else sys.stdout)
    return open(path, "w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
