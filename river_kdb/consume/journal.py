"""The list of steps, kept on the server."""

from __future__ import annotations

from typing import Any

from river_kdb.consume.order import Step, later_steps

__all__ = ["Journal"]


class Journal:
    """A list of the steps since the last checkpoint, by which they can be taken again.

    Parameters
    ----------
    client
        A Redis client.
    key
        The name of the list.
    """

    def __init__(self, client: Any, key: str) -> None:
        self._client = client
        self.key = key

    def later(self, done: Step) -> list[Step]:
        """Return the steps that go beyond one.

        Parameters
        ----------
        done
            How far it went.
        """
        return later_steps(map(Step.read, self._client.lrange(self.key, 0, -1)), done)

    def clear(self) -> None:
        """Forget all steps."""
        self._client.delete(self.key)
