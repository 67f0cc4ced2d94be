"""Seeded streams of River's generators: each as it is, with an abrupt and with a gradual drift."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import NamedTuple

from river.datasets import synth

from river_kdb.evaluate.streams import Event

SEED = 42
OTHER_SEED = 43
PLAIN, ABRUPT, GRADUAL = "plain", "abrupt", "gradual"
WIDTH = 10
"""A gradual drift takes about this part of the stream."""

Concept = Callable[[], Iterable[Event]]


class Generator(NamedTuple):
    """Two concepts over the same features: a stream drifts from the first to the second.

    Attributes
    ----------
    name
        Of the stream.
    family
        Of the streams that belong into a picture.
    first, second
        Each returns the events of a concept, without end and the same every time.
    """

    name: str
    family: str
    first: Concept
    second: Concept


def permuted(concept: Concept, seed: int = OTHER_SEED) -> Concept:
    """Return the concept with its features under each other's names.

    Examples
    --------
    >>> swapped = permuted(lambda: [({"a": 1, "b": 2}, "y")], seed=2)
    >>> list(swapped())
    [({'a': 2, 'b': 1}, 'y')]
    """

    def events() -> Iterator[Event]:
        names: list = []
        for x, y in concept():
            if not names:
                names = list(x)
                random.Random(seed).shuffle(names)
            moved = dict(zip(names, x.values(), strict=True))
            yield {name: moved[name] for name in x}, y

    return events


def generators() -> list[Generator]:
    """Return the generators, in the order in which they run."""
    agrawal = [
        Generator(
            f"Agrawal{i}",
            "Agrawal",
            partial(synth.Agrawal, i, SEED),
            partial(synth.Agrawal, (i + 3) % 10, OTHER_SEED),
        )
        for i in range(10)
    ]
    led = partial(synth.LED, SEED, 0.1)
    moved = partial(
        synth.LEDDrift, noise_percentage=0.1, irrelevant_features=True, n_drift_features=4
    )
    rbf = partial(synth.RandomRBFDrift, seed_sample=SEED, n_classes=5, change_speed=0.001)
    plane = partial(synth.Hyperplane, mag_change=0.001)
    tree = partial(synth.RandomTree, seed_sample=SEED)
    wave = partial(synth.Waveform, SEED)
    both = {
        ("LED", "LED"): (led, permuted(led)),
        ("LEDDrift", "LED"): (partial(moved, SEED), partial(moved, OTHER_SEED)),
        ("SEA", "rules"): (
            partial(synth.SEA, 0, 0.1, SEED),
            partial(synth.SEA, 3, 0.1, OTHER_SEED),
        ),
        ("STAGGER", "rules"): (
            partial(synth.STAGGER, 0, SEED),
            partial(synth.STAGGER, 2, OTHER_SEED),
        ),
        ("Sine", "rules"): (partial(synth.Sine, 0, SEED), partial(synth.Sine, 1, OTHER_SEED)),
        ("RandomRBFDrift", "numeric"): (partial(rbf, SEED), partial(rbf, OTHER_SEED)),
        ("Hyperplane", "numeric"): (partial(plane, SEED), partial(plane, OTHER_SEED)),
        ("RandomTree", "numeric"): (partial(tree, SEED), partial(tree, OTHER_SEED)),
        ("Waveform", "numeric"): (wave, permuted(wave)),
    }
    return agrawal + [Generator(*names, *concepts) for names, concepts in both.items()]


def drifting(generator: Generator, drift: str, n_events: int) -> list[Event]:
    """Return the events of a stream, drawn once so that they are the same for all models.

    Parameters
    ----------
    generator
        Its concepts.
    drift
        ``"plain"``: the first concept only. ``"abrupt"``: the second one from the middle on.
        ``"gradual"``: an event is of the second one with a probability that rises as a sigmoid
        around the middle, over about a tenth of the stream.
    n_events
        How many.
    """
    if drift == PLAIN:
        return list(islice(generator.first(), n_events))
    middle = n_events // 2
    if drift == ABRUPT:
        parts = islice(generator.first(), middle), islice(generator.second(), n_events - middle)
        return list(chain(*parts))
    draw = random.Random(SEED).random
    first, second = iter(generator.first()), iter(generator.second())
    steep = 4.0 * WIDTH / n_events
    return [
        next(second if draw() < _sigmoid(steep * (row - middle)) else first)
        for row in range(n_events)
    ]


def _sigmoid(t: float) -> float:
    return 1.0 / (1.0 + math.exp(-t))
