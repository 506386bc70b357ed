"""``python -m nengo_backend_tf script.py``: see `nengo_backend_tf.runner`."""

import sys

from .runner import main

if __name__ == "__main__":
    sys.exit(main())
