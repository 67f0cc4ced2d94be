"""When a model recodes its features and relearns its structure."""

from __future__ import annotations

_FIRST_RECODE, _SECOND_RECODE = 12, 25
NEVER = 2**62


class Schedule:
    """Counts off the events at which rare work is due.

    Features are recoded at 12, 25, 50, 100, 200, ... events and a last time when the window is
    full. The structure is learned at `grace_period` events, then at doubling gaps, which stop
    growing at `relearn_period`. All of this counts from an origin: the first event of the stream,
    or the first of what is left of it after a drift.

    Parameters
    ----------
    grace_period
        Events before the first structure.
    relearn_period
        Events between two structures at most.

    Examples
    --------
    >>> from river_kdb.schedule import Schedule
    >>> schedule = Schedule(grace_period=100, relearn_period=500)
    >>> times = []
    >>> for t in range(1, 2001):
    ...     if schedule.relearn_due(t):
    ...         times.append(t)
    >>> times
    [100, 200, 400, 800, 1300, 1800]

    >>> schedule.restart(1950)
    >>> schedule.next_due(2000, 10_000), schedule.relearn_due(2050)
    (1962, True)
    """

    def __init__(self, grace_period: int, relearn_period: int) -> None:
        self.grace_period = grace_period
        self.relearn_period = relearn_period
        self.restart(0)

    def restart(self, origin: int) -> None:
        """Count from another event on, as if the stream began there.

        Parameters
        ----------
        origin
            Number of the event.
        """
        self.origin = origin
        self.next_recode = _FIRST_RECODE
        self.next_relearn = self.gap = self.grace_period

    def next_due(self, n_events: int, window_limit: int) -> int:
        """Return the number of the next event after which something is due.

        Parameters
        ----------
        n_events
            Events so far.
        window_limit
            Events that the window holds when it is full; a multiple of it is always due.
        """
        turn = self.next_turn(n_events, window_limit)
        return min(self.origin + min(self.next_recode, self.next_relearn), turn)

    def next_turn(self, n_events: int, window_limit: int) -> int:
        """Return the number of the next event with which the window has been filled anew.

        Parameters
        ----------
        n_events
            Events so far.
        window_limit
            Events that the window holds when it is full.
        """
        return self.origin + ((n_events - self.origin) // window_limit + 1) * window_limit

    def turned(self, n_events: int, window_limit: int) -> bool:
        """Say whether the window has been filled anew with this event.

        Parameters
        ----------
        n_events
            Events so far.
        window_limit
            Events that the window holds when it is full.
        """
        return (n_events - self.origin) % window_limit == 0

    def recode_due(self, n_events: int, window_limit: int) -> bool:
        """Say whether to recode after this event, and note the next one.

        Parameters
        ----------
        n_events
            Events so far.
        window_limit
            Events that the window holds when it is full.
        """
        since = n_events - self.origin
        if since < min(self.next_recode, window_limit):
            return False
        while self.next_recode <= since:
            doubled = max(_SECOND_RECODE, 2 * self.next_recode)
            self.next_recode = _SECOND_RECODE if self.next_recode == _FIRST_RECODE else doubled
        if since >= window_limit:
            self.next_recode = NEVER
        return since <= window_limit

    def relearn_due(self, n_events: int) -> bool:
        """Say whether to learn the structure after this event, and note the next time.

        Parameters
        ----------
        n_events
            Events so far.
        """
        since = n_events - self.origin
        if since < self.next_relearn:
            return False
        while self.next_relearn <= since:
            self.next_relearn += min(self.gap, self.relearn_period)
            # no more than counts, or it would grow without end
            self.gap = min(2 * self.gap, self.relearn_period)
        return True
