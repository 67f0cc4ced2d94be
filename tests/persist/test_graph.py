"""Things are taken apart and put together again as they were."""

from __future__ import annotations

import random
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from river_kdb.counts.window import new_window
from river_kdb.mixture.experts import Expert
from river_kdb.persist.fileformat import file_of, thing_in
from river_kdb.persist.graph import Flattener


def again(thing):
    return thing_in("thing", memoryview(b"".join(file_of("thing", [thing]))))[0]


_KEYS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=3), st.binary(max_size=2)
)
_HASHABLE = st.recursive(_KEYS, lambda part: st.lists(part, max_size=3).map(tuple), max_leaves=5)
_THINGS = st.recursive(
    _HASHABLE,
    lambda part: st.one_of(
        st.lists(part, max_size=4),
        st.lists(part, max_size=3).map(tuple),
        st.dictionaries(_HASHABLE, part, max_size=4),
        st.lists(part, max_size=3).map(lambda parts: deque(parts, maxlen=5)),
    ),
    max_leaves=12,
)


@settings(max_examples=40)
@given(_THINGS)
def test_things_made_of_things(thing):
    found = again(thing)
    assert found == thing
    assert repr(found) == repr(thing)


_ARRAYS = hnp.arrays(
    st.one_of(hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(),
              hnp.floating_dtypes(sizes=(16, 32, 64)), hnp.datetime64_dtypes(max_period="s")),
    hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9),
)  # fmt: skip


@settings(max_examples=60)
@given(_ARRAYS, st.booleans(), st.booleans())
def test_arrays(array, fortran, reversed_):
    array = np.asfortranarray(array) if fortran else array
    array = array[::-1] if reversed_ and array.ndim else array
    found = again(array)
    assert found.dtype == array.dtype
    assert found.shape == array.shape
    assert found.tobytes() == array.tobytes()
    assert found.flags.writeable
    if array.flags.f_contiguous and not array.flags.c_contiguous:
        assert found.flags.f_contiguous


def test_long_lists_are_packed_and_keep_their_types():
    for thing in (
        list(range(100)), [float(i) for i in range(100)], [2**63 + i for i in range(100)],
        [*range(99), True], [*range(99), 1.0], dict.fromkeys(range(100), -0.0), deque([1] * 99),
    ):  # fmt: skip
        assert repr(again(thing)) == repr(thing)


def test_other_containers():
    thing = [{3, "x"}, frozenset({(1, 2)}), bytearray(b"\0\1" * 200), deque(maxlen=2), set()]
    thing += [Expert("tan"), random.Random(5)]
    found = again(thing)
    assert found[:-1] == thing[:-1]
    assert [type(part) for part in found] == [type(part) for part in thing]
    assert found[3].maxlen == 2
    assert found[-1].random() == thing[-1].random()


def test_what_is_shared_stays_shared():
    array, some, window = np.zeros(99), [1], new_window(2, 5)
    found = again([array, some, {"again": [array, some]}, window])
    assert found[0] is found[2]["again"][0]
    assert found[1] is found[2]["again"][1]
    assert found[3].counted is found[3].weights
    assert found[3].raw is not found[0]
    different = again([[1], [1]])
    assert different[0] is not different[1]


def test_the_order_of_a_set_does_not_matter():
    some = ["b", "a", 1, 10, ("x",), None]
    data = {b"".join(file_of("thing", set(order))) for order in (some, some[::-1])}
    assert len(data) == 1


def test_what_contains_itself_or_is_too_deep_is_refused():
    own: list[object] = []
    own.append(own)
    deep: list[object] = []
    for _ in range(200):
        deep = [deep]
    for thing in (own, deep, {"x": own}):
        with pytest.raises(ValueError, match="too deep, or contains itself"):
            Flattener().add(thing)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        ({"a": [1, print]}, r"\[0\]\[1\]: .*builtin"),
        ([lambda: None], r"function"),
        ((np.zeros(2, dtype="U3"),), r"\[0\]: numpy's type <U3"),
        (np.array([None]), "numpy's type object"),
        ([1j], r"\[0\]: 1j: builtins.complex is not supported"),
        (pytest, "module"),
    ],
)
def test_others_are_refused_where_they_are(thing, said):
    with pytest.raises(TypeError, match=said):
        Flattener().add(thing)
