"""Import TensorFlow with the flags under which Nengo models run best, unless the user chose flags or imported it already."""

import os
import sys

#: Vectors as wide as the processor has; no threads for loops over little data, which would cost more than they give.
CPU_FLAGS = (
    "--xla_cpu_prefer_vector_width=512",
    "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=100000",
)


def _set_flags():
    # XLA reads its flags once, and an unknown one aborts the process: only versions that were tried get any.
    from importlib.metadata import version

    if version_of(version) == (2, 21) and "XLA_FLAGS" not in os.environ:
        os.environ["XLA_FLAGS"] = " ".join(CPU_FLAGS)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")


def version_of(version):
    """(major, minor) of the TensorFlow that is installed, whatever its package is called; None if it is not known."""
    from importlib.metadata import PackageNotFoundError

    for name in ("tensorflow", "tensorflow-cpu", "tf-nightly"):
        try:
            return tuple(int(part) for part in version(name).split(".")[:2])
        except (PackageNotFoundError, ValueError):
            continue
    return None


if "tensorflow" not in sys.modules:
    _set_flags()
