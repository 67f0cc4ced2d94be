"""One consumer at a time for a group."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from river_kdb.consume.errors import ConsumeError

__all__ = ["Lock"]

_LOG = logging.getLogger(__name__)

# Whoever takes the lock counts it, so that one who lost it can tell whether others had it since
_ACQUIRE = """
local owner = redis.call('GET', KEYS[1])
if owner then return {0, owner, redis.call('PTTL', KEYS[1])} end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return {redis.call('INCR', KEYS[2]), ARGV[1], ARGV[2]}
"""
_RENEW = """
local owner = redis.call('GET', KEYS[1])
local turn = redis.call('GET', KEYS[2])
if owner == ARGV[1] or (not owner and (not turn or turn == ARGV[3])) then
    redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
    redis.call('SET', KEYS[2], ARGV[3])
    return 1
end
return 0
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
"""


class Lock:
    """A key with an expiry that one consumer holds, and renews in a thread of its own.

    Parameters
    ----------
    client
        A Redis client.
    key
        The name of the key; a second one, with ``:turn`` after it, counts who had it.
    owner
        What to call the holder; unlike that of any other process.
    seconds
        When the lock of a holder that is gone expires.
    """

    def __init__(self, client: Any, key: str, owner: str, seconds: float) -> None:
        self._client = client
        self._keys = [key, f"{key}:turn"]
        self._owner = owner
        self._seconds = seconds
        self._turn = 0
        self._renewed_at = 0.0
        self._ended = threading.Event()
        self._renewer: threading.Thread | None = None
        self.lost = False

    def acquire(self, stopping: Callable[[], bool]) -> bool:
        """Take the lock; where its holder may be gone, wait until it has expired.

        Parameters
        ----------
        stopping
            Returns whether to give up.

        Returns
        -------
        Whether it was taken; False if it was given up.

        Raises
        ------
        ConsumeError
            If its holder is alive.
        """
        last_ttl: int | None = None
        while not stopping():
            asked_at = time.monotonic()
            turn, owner, ttl = self._script(_ACQUIRE, self._milliseconds)
            if turn:
                self._turn, self._renewed_at = turn, asked_at
                self._renewer = threading.Thread(target=self._keep_renewing, daemon=True)
                self._renewer.start()
                return True
            if ttl < 0 or (last_ttl is not None and ttl > last_ttl):
                raise ConsumeError(
                    f"{owner.decode()} is consuming this stream for this group: one model is one "
                    "consumer"
                )
            if last_ttl is None:
                _LOG.info("waiting for the lock of %s: renewed or expired?", owner.decode())
            last_ttl = ttl
            time.sleep(min(0.1, self._seconds / 10))
        return False

    def check(self) -> None:
        """Raise if somebody else has, or had, the lock.

        Raises
        ------
        ConsumeError
            If so.
        """
        # A process that was halted may have been overtaken before its thread can tell
        if not self.lost and time.monotonic() - self._renewed_at > self._seconds / 2:
            self._renew()
        if self.lost:
            raise ConsumeError("another consumer has taken over this stream and group")

    def release(self) -> None:
        """Give the lock back, if it is held and the server is there."""
        self._ended.set()
        if self._renewer is None:
            return
        self._renewer.join()
        try:
            self._script(_RELEASE)
        except Exception as error:
            _LOG.warning("the lock stays until it expires: %s", error)

    @property
    def _milliseconds(self) -> int:
        return max(1, round(self._seconds * 1000))

    def _keep_renewing(self) -> None:
        while not self.lost and not self._ended.wait(self._seconds / 4):
            try:
                self._renew()
            except Exception as error:
                _LOG.debug("the lock was not renewed: %s", error)

    def _renew(self) -> None:
        asked_at = time.monotonic()
        if self._script(_RENEW, self._milliseconds, self._turn):
            self._renewed_at = asked_at
        else:
            self.lost = True

    def _script(self, script: str, *arguments: Any) -> Any:
        return self._client.eval(script, 2, *self._keys, self._owner, *arguments)
