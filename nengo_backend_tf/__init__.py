"""A Nengo backend on TensorFlow.

``nengo_backend_tf.Simulator`` takes the place of ``nengo.Simulator``. TensorFlow is imported when a Simulator is built.
"""

from .config import configure_settings
from .simulator import Simulator
from .version import __version__

__all__ = ["Simulator", "configure_settings", "__version__"]
