"""``python -m river_kdb.cli``: the same as the command ``river-kdb``."""

from __future__ import annotations

import sys

from river_kdb.cli import main

if __name__ == "__main__":
    sys.exit(main())
