"""The order in which entries of two streams were dealt with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from river_kdb.consume.entry import EntryId, id_text, read_id
from river_kdb.consume.source import Source

__all__ = ["Step", "later_steps", "next_bound"]


class Step(NamedTuple):
    """How far both streams had been dealt with after some entries.

    Parameters
    ----------
    event, label
        The ids of the last entries.

    Examples
    --------
    >>> from river_kdb.consume.order import Step
    >>> Step.read(Step((7, 0), (3, 1)).text())
    Step(event=(7, 0), label=(3, 1))
    """

    event: EntryId
    label: EntryId

    def text(self) -> str:
        """Return it as a text."""
        return f"{id_text(self.event)} {id_text(self.label)}"

    @classmethod
    def read(cls, text: bytes | str) -> Step:
        """Return the step of a text.

        Parameters
        ----------
        text
            What `text` returned.
        """
        event, label = text.split()
        return cls(read_id(event), read_id(label))


def later_steps(steps: Iterable[Step], done: Step) -> list[Step]:
    """Return the steps that go beyond one, without repetitions.

    Parameters
    ----------
    steps
        Steps in their order.
    done
        How far it went.

    Examples
    --------
    >>> from river_kdb.consume.order import Step, later_steps
    >>> first, second = Step((1, 0), (0, 0)), Step((1, 0), (5, 0))
    >>> later_steps([first, second, second], first)
    [Step(event=(1, 0), label=(5, 0))]
    """
    later = []
    for step in steps:
        if step.event > done.event or step.label > done.label:
            later.append(step)
            done = Step(max(step.event, done.event), max(step.label, done.label))
    return later


def next_bound(sources: Sequence[Source], limit: int | None = None) -> EntryId | None:
    """Return up to which id the entries at hand can be dealt with; None: all of them.

    Where a stream has more than was read, those of the other one that are later than what was
    read have to wait, so that a backlog is gone through in the order in which it arose.

    Parameters
    ----------
    sources
        The sources, the events' first.
    limit
        How many events may be taken.
    """
    bounds = [source.queue[-1].id for source in sources if source.has_more and source.queue]
    queue = sources[0].queue
    if limit is not None and limit < len(queue):
        bounds.append(queue[limit - 1].id)
    return min(bounds, default=None)
