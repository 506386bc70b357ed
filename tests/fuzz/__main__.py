"""Command line: ``python -m tests.fuzz --networks 1000``, or ``--faults``."""

import argparse
import os
import sys

# Before TensorFlow is imported, whose notes would fill the terminal.
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def main(arguments=None):
    """Run the fuzzer; returns the exit status, 1 where a difference was found or something was never drawn."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Compare random networks on this backend "
                                     "with nengo.Simulator. A seed reproduces its network.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--networks", type=int, default=100, help="how many networks, from seed 0 on (default: 100)")
    which.add_argument("--seeds", metavar="A:B", help="seeds from A to B, B not included")
    which.add_argument("--faults", nargs="*", metavar="NAME", help="break the package on purpose, one fault at a time, and "
                       "say after how many networks it was found (default: all faults)")
    parser.add_argument("--modes", default="lockstep,free", help="of lockstep, free, matrix (default: lockstep,free)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: 1)")
    parser.add_argument("--limit", type=int, default=200, help="networks tried for a fault (default: 200)")
    options = parser.parse_args(arguments)
    if options.faults is not None:
        from .faults import run_faults

        return run_faults(options.faults, options.limit, options.jobs)
    from .report import run_range
    from .run import MODES

    modes = options.modes.split(",")
    unknown = set(modes) - set(MODES)
    if unknown:
        parser.error(f"--modes: there is no {sorted(unknown)}. Expected some of {sorted(MODES)}.")
    first, last = (0, options.networks) if options.seeds is None else map(int, options.seeds.split(":"))
    return run_range(range(first, last), modes, options.jobs)


if __name__ == "__main__":
    sys.exit(main())
