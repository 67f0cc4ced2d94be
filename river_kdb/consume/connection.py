"""The client of the Redis server, and patience while that is away."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any, TypeVar

from river_kdb.consume.errors import ConsumeError

__all__ = ["Connection", "Stopped"]

T = TypeVar("T")

_LOG = logging.getLogger(__name__)
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 5.0
_NAP = 0.1
_TIMEOUT = 30.0
_NETWORK: dict[str, Any] = {"socket_connect_timeout": _TIMEOUT, "socket_keepalive": True}
# Errors that a server answers with while it can't do what it is there for
_PASSING = ("LOADING", "MISCONF", "OOM", "READONLY", "NOREPLICAS", "MASTERDOWN", "CLUSTERDOWN")


class Stopped(Exception):
    """The consumer was told to stop while it waited for the server."""


class Connection:
    """A Redis client, and a way to insist on what it is asked for.

    Parameters
    ----------
    url
        Where the server is: ``redis://host:port/db``, ``rediss://...`` or ``unix://path``.
    stopping
        Returns whether the consumer was told to stop.
    block_ms
        The longest that a command blocks, in milliseconds.

    Raises
    ------
    ConsumeError
        If the URL is none, or no server answers there.
    ImportError
        If redis is not installed.
    """

    def __init__(self, url: str, stopping: Callable[[], bool], block_ms: int = 0) -> None:
        try:
            import redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as error:
            raise ImportError('consuming needs redis: pip install "river-kdb[redis]"') from error
        self._stopping = stopping
        self._errors = redis.exceptions
        try:
            # The client must not repeat a reading by itself: what the first one got would be lost
            self.client: Any = redis.Redis.from_url(
                url,
                protocol=2,
                retry=Retry(NoBackoff(), 0),
                socket_timeout=_TIMEOUT + block_ms / 1000,
                **({} if url.startswith("unix:") else _NETWORK),
            )
        except (ValueError, TypeError) as error:
            raise ConsumeError(f"no URL of a Redis server: {error}") from None
        for command in ("XREADGROUP", "XAUTOCLAIM"):
            self.client.set_response_callback(command, _as_it_is)
        # Without the password
        self.name = url.rpartition("@")[2].partition("?")[0]
        self._greet()

    def insist(self, action: Callable[[], T]) -> T:
        """Return what an action returns, trying again for as long as the server is away.

        Parameters
        ----------
        action
            What to do; it may have been done in part before.

        Raises
        ------
        ConsumeError
            For an error that does not pass.
        Stopped
            If the consumer was told to stop in the meantime.
        """
        wait = _FIRST_WAIT
        while True:
            try:
                answer = action()
            except self._errors.RedisError as error:
                if not self._passes(error):
                    raise ConsumeError(f"the Redis server at {self.name}: {error}") from error
                _LOG.warning("no Redis server at %s (%s): again in %.1f s", self.name, error, wait)
                self._sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT)
            else:
                if wait > _FIRST_WAIT:
                    _LOG.info("the Redis server at %s is back", self.name)
                return answer

    def try_once(self, action: Callable[[], Any]) -> bool:
        """Do what can be left for later; return whether it was done.

        Parameters
        ----------
        action
            What to do.
        """
        try:
            action()
        except self._errors.RedisError as error:
            _LOG.warning("the Redis server at %s: %s", self.name, error)
            return False
        return True

    def close(self) -> None:
        """Close all connections."""
        self.client.close()

    def _greet(self) -> None:
        try:
            self.client.ping()
        except self._errors.BusyLoadingError:
            self.insist(self.client.ping)
        except self._errors.RedisError as error:
            raise ConsumeError(f"no Redis server at {self.name}: {error}") from None

    def _passes(self, error: Exception) -> bool:
        if isinstance(error, (self._errors.AuthenticationError, self._errors.AuthorizationError)):
            return False
        if isinstance(error, (self._errors.ConnectionError, self._errors.TimeoutError)):
            return True
        return str(error).startswith(_PASSING) or isinstance(
            error, (self._errors.OutOfMemoryError, self._errors.ReadOnlyError)
        )

    def _sleep(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while True:
            if self._stopping():
                raise Stopped
            left = end - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, _NAP))


def _as_it_is(answer: Any, **_: Any) -> Any:
    return answer
