"""Small data sets that code can write out: every test knows exactly what it learns from.

A data set is a list of events `(x, y)`; `x` is a dict, as River hands it over.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Hashable, Iterator
from typing import Any

Event = tuple[dict[Hashable, Any], Hashable]

SQUARES = tuple(
    f"{row}-{column}-square"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((0, 1, 2), (3, 4, 5), (6, 7, 8)),
    *((0, 3, 6), (1, 4, 7), (2, 5, 8)),
    *((0, 4, 8), (2, 4, 6)),
)


def tic_tac_toe() -> list[Event]:
    """The 958 boards a game can end on, x moving first; "positive" where x has three in a row."""
    return [
        (dict(zip(SQUARES, board, strict=True)), "positive" if _wins(board, "x") else "negative")
        for board in sorted(_end_boards())
    ]


def _wins(board: tuple[str, ...], player: str) -> bool:
    return any(all(board[square] == player for square in line) for line in LINES)


def _end_boards() -> set[tuple[str, ...]]:
    ended: set[tuple[str, ...]] = set()
    visited: set[tuple[str, ...]] = set()

    def play(board: tuple[str, ...], player: str) -> None:
        if board in visited:
            return
        visited.add(board)
        if _wins(board, "x") or _wins(board, "o") or "b" not in board:
            ended.add(board)
            return
        for square in range(9):
            if board[square] == "b":
                after = (*board[:square], player, *board[square + 1 :])
                play(after, "o" if player == "x" else "x")

    play(("b",) * 9, "x")
    return ended


def balance_scale(*, as_text: bool = True) -> list[Event]:
    """The 5^4 scales; the class is the side that tips (L, R) or B."""
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    events: list[Event] = []
    for values in itertools.product(range(1, 6), repeat=4):
        left, right = values[0] * values[1], values[2] * values[3]
        x = dict(zip(names, map(str, values) if as_text else values, strict=True))
        events.append((x, "L" if left > right else "R" if right > left else "B"))
    return events


def categorical(
    n_events: int = 300,
    *,
    seed: int = 0,
    n_features: int = 6,
    n_values: int = 4,
    n_classes: int = 3,
    missing: float = 0.0,
    odd_columns: bool = False,
) -> list[Event]:
    """Random text columns, each leaning on the class and on the column before it.

    `odd_columns` adds the columns that break careless code: one constant, one never there, one
    with a single value that is sometimes missing, and one a copy of another.
    """
    rng = random.Random(seed)
    events: list[Event] = []
    for _ in range(n_events):
        label = min(int(rng.expovariate(1.2)), n_classes - 1)
        x: dict[Hashable, Any] = {}
        before = label
        for i in range(n_features):
            lean = rng.random()
            value = rng.randrange(n_values)
            if lean < 0.35:
                value = (label + i) % n_values
            elif lean < 0.65:
                value = (before + label) % n_values
            before = value
            x[f"f{i}"] = None if rng.random() < missing else f"v{value}"
        if odd_columns:
            x["always"] = "here"
            x["never"] = None
            x["single"] = "only" if rng.random() < 0.6 else None
            x["twin"] = x["f0"]
        events.append((x, f"c{label}"))
    return events


def mixed(
    n_events: int = 400, *, seed: int = 0, n_classes: int = 3, missing: float = 0.15
) -> list[Event]:
    """Numbers, text and truth values side by side; missing comes as None, as NaN and as no key."""
    rng = random.Random(seed)
    events: list[Event] = []
    for _ in range(n_events):
        label = rng.randrange(n_classes)
        x: dict[Hashable, Any] = {
            "length": rng.gauss(label, 0.8),
            "count": rng.randrange(label + 1, label + 40),
            "few": rng.choice([1, 2, 3]) + (label == 0),
            "colour": rng.choice(["red", "green", "blue", "grey"][: label + 2]),
            "flag": rng.random() < 0.2 + 0.3 * label,
            "noise": rng.uniform(-1, 1),
        }
        for name in list(x):
            if rng.random() < missing:
                _drop(x, name, rng)
        events.append((x, label))
    return events


def _drop(x: dict[Hashable, Any], name: Hashable, rng: random.Random) -> None:
    way = rng.randrange(3)
    if way == 0:
        del x[name]
    else:
        x[name] = None if way == 1 else math.nan


def growing(n_events: int = 600, *, seed: int = 0) -> list[Event]:
    """A stream that keeps bringing new things: features, categories and classes, some late."""
    rng = random.Random(seed)
    events: list[Event] = []
    for t in range(n_events):
        age = 1 + 4 * t // n_events
        label = rng.randrange(1 + age)
        x: dict[Hashable, Any] = {
            f"f{i}": f"v{(rng.randrange(2 + age) + label * (rng.random() < 0.5)) % (2 + age)}"
            for i in range(3)
        }
        if age >= 2:
            x["a-late-one"] = rng.choice("pq") if rng.random() < 0.7 else str(label)
        if age >= 4:
            x["the-last-one"] = str(label) if rng.random() < 0.6 else "r"
        events.append((x, f"c{label}"))
    return events


def shuffled(events: list[Event], seed: int) -> list[Event]:
    """The same events in a seeded order."""
    events = list(events)
    random.Random(seed).shuffle(events)
    return events


def stratified_folds(
    events: list[Event], n_folds: int = 10, seed: int = 0
) -> Iterator[tuple[list[Event], list[Event]]]:
    """Pairs (train, test); every fold has its share of each class."""
    dealt: list[list[Event]] = [[] for _ in range(n_folds)]
    by_class = sorted(shuffled(events, seed), key=lambda event: repr(event[1]))
    for number, event in enumerate(by_class):
        dealt[number % n_folds].append(event)
    for fold in range(n_folds):
        train = [event for other in range(n_folds) if other != fold for event in dealt[other]]
        yield train, dealt[fold]
