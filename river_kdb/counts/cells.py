"""What one event does to a cell of a table."""

from __future__ import annotations

from river_kdb.jit import inlined

_RESIDUE = 1e-9
"""What is left of a cell when an event leaves is 0 below this share of the event's weight: rounding
leaves far more than the last digits of the weight in a cell that once counted thousands."""


@inlined
def shifted(count, weight):
    """Return a count with an event added, or taken out where the weight is negative."""
    after = count + weight
    return 0.0 if weight < 0.0 and after < -_RESIDUE * weight else after
