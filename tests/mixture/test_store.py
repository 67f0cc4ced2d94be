"""The counts of a mixture through all that happens to them, against a list of all events."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

from river_kdb.counts.clock import EPOCH, FIRST
from river_kdb.mixture.store import MixtureStore
from tests.mixture.tables import Run
from tests.naive_mixture import family_counts


@pytest.mark.kernel
@pytest.mark.parametrize(
    ("seed", "half_lives", "skip"),
    [
        (1, (1.0, 7.5, None), False),
        (2, (1.0, 2.5), False),
        (3, (20.0, None), True),
        (4, (None,), False),
    ],
)
def test_posteriors_are_those_of_the_events_that_count(seed, half_lives, skip):
    run = Run(seed, half_lives, skip=skip)
    for number in range(60):
        run.step()
        run.assert_as_the_oracle(run.question(), (1.0, 0.3)[number % 2])
    assert run.n == 4
    assert run.m >= 3
    assert run.store.n_events > 300
    if half_lives[0] == 1.0:  # the counts were brought to a later epoch, and faded ones dropped
        assert run.store.banks.clocks[0, EPOCH] >= 128


@pytest.mark.kernel
def test_a_value_that_faded_away_is_as_never_seen():
    run = Run(5, (1.0, 1.5), calm=True)
    gone = 0
    for _ in range(60):
        run.step()
        run.assert_as_the_oracle(run.question(), 1.0)
        seen = [len(set(column) - {-1}) for column in run.flat().tolist()]
        gone += sum(seen) - run.store.banks.used.sum()
    assert gone > 0


@pytest.mark.kernel
def test_tables_are_the_counts_of_the_oracle():
    """Cell by cell, whoever reads them."""
    run = Run(5, (3.0, None))
    for _ in range(12):
        run.step()
    spec, cells = run.store.banks.spec, run.store.banks.cells
    events = list(zip(run.flat().T.tolist(), run.labels, run.weights, strict=True))
    unit = run.store.banks.clocks[:, 0]
    for f, (child, parents) in enumerate(run.store.keys):
        for h, half_life in enumerate(run.half_lives):
            since = run.kept[child, parents][h][0]
            expected = family_counts(events, child, parents, half_life, since)
            stop = spec[f + 1, 1] if f + 1 < len(spec) else len(cells)
            found = cells[spec[f, 1] : stop, h :: len(run.half_lives)]
            assert found.sum() / unit[h] == pytest.approx(sum(expected.values()))
            for (value, context, c), n in expected.items():
                row = spec[f, 1] + (spec[f, 2] if value is None else value)
                row += sum(v * spec[f, 4 + 2 * q] for q, v in enumerate(context))
                assert cells[row, c * len(run.half_lives) + h] / unit[h] == pytest.approx(n)


def test_forgetting_leaves_what_fades():
    run = Run(6, (4.0, 9.0, None))
    for _ in range(10):
        run.step()
    before, classes = run.store.banks.cells.copy(), run.store.banks.classes.copy()
    run.forget_before()
    after = run.store.banks.cells
    for h in (0, 1):
        assert after[:, h::3].tobytes() == before[:, h::3].tobytes()
        assert run.store.banks.classes[h::3].tobytes() == classes[h::3].tobytes()
    assert (after[:, 2::3] <= before[:, 2::3]).all()
    first = int(run.store.banks.clocks[2, FIRST])
    assert run.store.first == first
    weight = sum(run.weights[first:])
    assert run.store.banks.classes[2::3].sum() == pytest.approx(weight)


def test_where_all_fades_nothing_begins_anew():
    run = Run(7, (4.0, 9.0))
    for _ in range(6):
        run.step()
    before = run.store.banks.cells.copy()
    run.forget_before()
    assert run.store.first == 0
    assert run.store.banks.cells.tobytes() == before.tobytes()


def test_the_window_grows_to_its_limit():
    run = Run(8, (None,), limit=50)
    seen = []
    while run.store.n_events < 120:
        run.learn()
        seen.append(run.store.capacity)
        assert run.store.n_held == min(run.store.n_events, 50)
        assert run.store.exact == (run.store.n_events <= 50)
    assert sorted(set(seen)) == [16, 32, 50]


def test_memory_that_is_short_keeps_the_strongest_parents():
    run = Run(9, (None,), depths=(3,))
    for _ in range(4):
        run.insert()
    for _ in range(60):
        run.learn()
    run.use()
    full = run.store.banks.levels
    n_families = len(run.store.keys)
    run.store.max_bytes = 6000
    run.store.use(run.store.parents, run.held_codes(), run.store.n_events - run.store.n_held)
    assert run.n < len(run.store.keys) < n_families
    assert run.store.banks.cells.nbytes <= 6000
    levels = run.store.banks.levels
    assert ((levels >= 0) <= (full >= 0)).all()
    gone = levels < 0
    assert (gone[:, 1:] >= gone[:, :-1]).all()  # a list ends once
    assert np.isfinite(run.answers(run.question(), 1.0)[0, :3]).all()


def test_the_window_takes_at_most_half():
    store = MixtureStore((None,), 10_000, 100_000)
    assert store.limit == 100_000 // 2 // 12
    assert not MixtureStore((None,), 64, 500).can_take_feature(1)
    assert MixtureStore((None,), 64, 5000).can_take_feature(1)
    assert not MixtureStore((None,), 64, 5000).can_take_feature(1, n_before=60)


def test_a_copy_goes_on_alike():
    run = Run(10, (2.0, None))
    for _ in range(5):
        run.step()
    twins = [copy.deepcopy(run), pickle.loads(pickle.dumps(run))]
    for one in (run, *twins):
        for _ in range(3):
            one.step()
    for twin in twins:
        assert twin.store.banks.cells.tobytes() == run.store.banks.cells.tobytes()
