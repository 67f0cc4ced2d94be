"""The command ``river-kdb``; it needs typer and rich (extra ``cli``)."""

from __future__ import annotations

import importlib.util
import sys

__all__ = ["main"]


def main() -> int:
    """Run the command line; what the console script ``river-kdb`` calls.

    Returns
    -------
    The exit code: 0, 1 if a model failed, 2 for input that cannot be used, 130 after Ctrl-C.

    """
    absent = [name for name in ("typer", "rich") if importlib.util.find_spec(name) is None]
    if absent:
        print(
            f"river-kdb: the command line needs {' and '.join(absent)}, not installed here: "
            'pip install "river-kdb[cli]"',
            file=sys.stderr,
        )
        return 2
    try:
        from river_kdb.cli.app import app

        app(prog_name="river-kdb")
    except KeyboardInterrupt:
        return 130
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    return 0
