"""What the page shows of a model."""

from __future__ import annotations

import pytest

from river_kdb.history import StructureChange
from tests.evaluate import reports

pytest.importorskip("matplotlib")

from river_kdb.evaluate.sections import MOST_ARCS, MOST_CHANGES, model_section


@pytest.fixture(scope="module")
def results():
    return reports.run(reports.stream(), ("kdb", reports.kdb), ("mixture", reports.mixture))


def test_features_as_in_the_summary(results):
    section = model_section(results[0], "k")
    summary = results[0].model.summary
    by_name = {row.name: row for row in section.features}
    assert set(by_name) == {"weight", "text", "noise"}
    for feature in summary.features:
        row = by_name[str(feature.name)]
        assert row.missing == feature.missing
        assert row.information == feature.information
        assert (row.kind, row.slots, row.note) == (feature.kind, str(feature.slots), feature.note)
    information = [row.information for row in section.features]
    assert information == sorted(information, reverse=True)
    assert by_name["text"].missing > 0.05
    assert summary.counts in section.notes


def test_history_latest_first(results):
    section = model_section(results[0], "k")
    history = results[0].model.structure_history
    assert [row.event for row in section.changes] == [c.event for c in reversed(history)]
    assert section.n_arcs == len(results[0].model.structure_edges())
    assert "drift" in {row.reason for row in section.changes}


def test_a_mixture_says_who_has_the_say(results):
    section = model_section(results[1], "k")
    assert sum(share for _, share in section.experts) == pytest.approx(1.0)
    assert section.network == str(results[1].model.winner_)
    assert section.features[0].missing is None


class Restless(reports.Majority):
    """A model that changes a lot of arcs many times."""

    @property
    def structure_history(self):
        arcs = tuple((j, j + 1) for j in range(100))
        return [StructureChange(i, "schedule", arcs, ((i, 0),)) for i in range(200)]


def test_long_histories_are_cut_and_counted():
    (result,) = reports.run(reports.stream(20), ("restless", Restless))
    result.own = True
    section = model_section(result, "k")
    assert section.n_changes == 200
    assert len(section.changes) == MOST_CHANGES
    first = section.changes[0]
    assert (first.event, first.n_added, len(first.added)) == (199, 100, MOST_ARCS)
    assert first.removed == ["199 → 0"]


class Wide(reports.Majority):
    """A model with more features than a picture has room for."""

    feature_names = tuple(f"f{i}" for i in range(300))

    def structure_edges(self):
        return [(f"f{i}", f"f{i + 1}") for i in range(299)]


def test_networks_too_large_are_counted_not_drawn():
    (result,) = reports.run(reports.stream(20), ("wide", Wide))
    section = model_section(result, "k")
    assert (section.structure, section.n_arcs) == (None, 299)
