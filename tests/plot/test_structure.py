"""Pictures of structures, and the layout under them."""

from __future__ import annotations

import itertools
import random

import pytest

from river_kdb.plot.layout import Bend, arrange, layers_of


def random_network(n, k, seed):
    rng = random.Random(seed)
    names = [f"f{i}" for i in range(n)]
    return names, [
        (names[parent], names[i]) for i in range(n) for parent in rng.sample(range(i), min(k, i))
    ]


@pytest.mark.parametrize(("n", "k", "width"), [(1, 0, 4), (9, 2, 4), (40, 1, 9), (40, 3, 6)])
def test_every_feature_is_below_its_parents(n, k, width):
    names, arcs = random_network(n, k, seed=n)
    layers = layers_of(names, arcs, width)
    level = {name: i for i, layer in enumerate(layers) for name in layer}
    assert set(level) == set(names)
    assert all(level[parent] < level[child] for parent, child in arcs)
    assert all(1 <= len(layer) <= width for layer in layers)


def test_circles_have_no_layers():
    assert layers_of(["a", "b", "c"], [("a", "b"), ("b", "c"), ("c", "a")], 4) is None


@pytest.mark.parametrize("seed", range(5))
def test_boxes_do_not_overlap_and_arcs_go_down(seed):
    names, arcs = random_network(25, 2, seed)
    widths = {name: 0.5 + i % 3 * 0.4 for i, name in enumerate(names)}
    layout = arrange(layers_of(names, arcs, 7), arcs, widths, gap=0.3, bend_width=0.1)
    for layer in layout.layers:
        for left, right in itertools.pairwise(layer):
            room = [0.1 if isinstance(n, Bend) else widths[n] + 0.3 for n in (left, right)]
            distance = layout.places[right][0] - layout.places[left][0]
            assert distance >= sum(room) / 2 - 1e-9
    for (parent, child), bends in layout.routes.items():
        ys = [layout.places[node][1] for node in (parent, *bends, child)]
        assert ys == sorted(ys, reverse=True)


@pytest.mark.parametrize("n", [1, 4, 18, 40])
@pytest.mark.parametrize("k", [0, 1, 2])
def test_every_name_is_in_the_picture(n, k):
    pytest.importorskip("matplotlib")
    from river_kdb.plot.structure import draw_structure

    names, arcs = random_network(n, k, seed=1)
    figure = draw_structure(arcs, names, target="fruit", title="kdb")
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {*names, "fruit", "kdb"} <= set(texts)
    # An arrow an arc, and one from the class to every feature without a parent
    arrows = [p for p in figure.axes[0].patches if type(p).__name__ == "FancyArrowPatch"]
    assert len(arrows) == len(arcs) + len(names) - len({child for _, child in arcs})
    width, height = figure.get_size_inches()
    assert 1 < width < 30
    assert 1 < height < 30


def test_odd_names_and_no_features():
    pytest.importorskip("matplotlib")
    from river_kdb.plot.structure import draw_structure

    odd = ["", "$x_1$", "a" * 100, "class", "many words in one name that goes on and on", "ü\n"]
    figure = draw_structure([("class", "$x_1$"), ("class", "only in an arc")], odd)
    figure.canvas.draw()
    assert "only in an arc" in [text.get_text() for text in figure.axes[0].texts]
    draw_structure([], []).canvas.draw()
    draw_structure([("a", "b"), ("b", "a"), ("a", "a")], []).canvas.draw()


def test_most_abreast_makes_it_narrower():
    pytest.importorskip("matplotlib")
    from river_kdb.plot.structure import draw_structure

    names, arcs = random_network(30, 1, seed=3)
    widths = [draw_structure(arcs, names, most_abreast=n).get_figwidth() for n in (None, 4, 2)]
    assert widths == sorted(widths, reverse=True)
    assert widths[2] < 0.8 * widths[0]
