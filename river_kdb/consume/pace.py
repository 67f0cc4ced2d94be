"""How many events a second."""

from __future__ import annotations

__all__ = ["Pace"]


class Pace:
    """The rate over the latest stretch of a second or more.

    Parameters
    ----------
    now
        The time, in seconds.
    count
        The count to start from.

    Examples
    --------
    >>> from river_kdb.consume.pace import Pace
    >>> pace = Pace(now=10.0)
    >>> pace.update(10.5, 100), pace.update(12.0, 400), pace.rate
    (False, True, 200.0)
    """

    def __init__(self, now: float, count: int = 0) -> None:
        self._since = now
        self._count = count
        self.rate = 0.0

    def update(self, now: float, count: int) -> bool:
        """Take in a count; return whether the rate is a new one.

        Parameters
        ----------
        now
            The time, in seconds.
        count
            The count.
        """
        passed = now - self._since
        if passed < 1.0:
            return False
        self.rate = (count - self._count) / passed
        self._since, self._count = now, count
        return True
