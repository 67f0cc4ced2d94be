"""From dicts to raw rows."""

from __future__ import annotations

import math
import numbers
import operator
import struct
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from river_kdb.features.boxes import MISSING, UNSEEN, box, unbox

UNKNOWN, NUMERIC, CATEGORICAL = 0, 1, 2
KIND_NAMES = {UNKNOWN: "unknown", NUMERIC: "numeric", CATEGORICAL: "categorical"}

_NUMBER, _CATEGORY = "number", "category"
_MISSING, _IMPOSSIBLE = "missing", "impossible"
_MISSING_TYPES = {"NoneType", "NAType", "NaTType"}
_MAX_PLANS = 64
_NO_VALUE = object()


class _Plan(NamedTuple):
    """What to do with the values of a row, given their types."""

    types: tuple[type, ...]
    lookups: tuple[int, ...]
    missing: tuple[int, ...]
    plain: bool
    all_lookups: bool
    careful: bool


def feature_key(name: Hashable) -> tuple[int, Any]:
    """Return the sort key of a feature name: numbers first, then texts, then the rest.

    Parameters
    ----------
    name
        A feature name, any hashable.

    Examples
    --------
    >>> from river_kdb.features.encoder import feature_key
    >>> sorted(["b", 2, ("a", 1), 1, "a"], key=feature_key)
    [1, 2, 'a', 'b', ('a', 1)]
    """
    if isinstance(name, numbers.Real) and not math.isnan(name):
        return 0, name
    if isinstance(name, str):
        return 1, str(name)
    return 2, repr(name)


def value_role(kind: type) -> str:
    """Return whether values of a type are numbers, categories, missing or impossible.

    Parameters
    ----------
    kind
        A Python type.

    Examples
    --------
    >>> from river_kdb.features.encoder import value_role
    >>> value_role(int), value_role(bool), value_role(type(None))
    ('number', 'category', 'missing')
    """
    if kind is float or kind is int:
        return _NUMBER
    if kind.__name__ in _MISSING_TYPES:
        return _MISSING
    if issubclass(kind, (bool, np.timedelta64)) or not issubclass(kind, numbers.Number):
        return _CATEGORY
    if issubclass(kind, numbers.Complex) and not issubclass(kind, numbers.Real):
        return _IMPOSSIBLE
    return _NUMBER


def is_nan(value: Any) -> bool:
    """Return whether a value is a number that differs from itself.

    Parameters
    ----------
    value
        Anything.
    """
    try:
        return bool(value != value)
    except (TypeError, ValueError, ArithmeticError):
        return False


class Encoder:
    """Turns events into raw rows and keeps the vocabularies.

    Features stand in the order of their names, so the order of a dict never matters. A feature is
    numeric when the first value it was learned with is a number and `nominal_attributes` does not
    name it.

    Parameters
    ----------
    nominal_attributes
        Names of features whose numbers are categories.

    Examples
    --------
    >>> from river_kdb.features.encoder import Encoder
    >>> encoder = Encoder()
    >>> row, fresh = encoder.prepare({"size": 3, "colour": "red"})
    >>> encoder.register(fresh, row)
    array([nan,  3.])
    >>> encoder.names
    ['colour', 'size']
    """

    def __init__(self, nominal_attributes: Collection[Hashable] = ()):
        self.nominal = frozenset(nominal_attributes)
        self.names: list[Hashable] = []
        self.index: dict[Hashable, int] = {}
        self.kinds: list[int] = []
        self.vocabularies: list[dict[Hashable, float]] = []
        self.free_ids: list[list[int]] = []
        self.next_ids: list[int] = []
        self._refresh()

    def _refresh(self) -> None:
        self._plans: dict[tuple[type, ...], _Plan] = {}
        self._plan = _Plan((), (), (), False, False, False)
        self._pack = struct.Struct(f"{len(self.names)}d").pack
        self._values = _getter(self.names)
        self._drop_latest()

    def _drop_latest(self) -> None:
        nobody = (_NO_VALUE,) * len(self.names)
        self._latest: tuple[tuple[Any, ...], np.ndarray] = nobody, np.empty(len(self.names))

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for cache in ("_plans", "_plan", "_pack", "_values", "_latest"):
            del state[cache]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._refresh()

    # One event -----------------------------------------------------------------------------

    def row(self, x: Mapping[Hashable, Any]) -> np.ndarray:
        """Return the raw row of an event, without learning anything from it.

        Parameters
        ----------
        x
            An event: feature names and values.

        Returns
        -------
        float64 array of shape (n_features,).

        Raises
        ------
        TypeError
            For a value that is unhashable or otherwise impossible.
        """
        if type(x) is not dict:
            x = dict(x)
        try:
            values = self._values(x)
        except KeyError:
            values = self._values_with_gaps(x)
        return self._encode(values)[0]

    def prepare(self, x: Mapping[Hashable, Any]) -> tuple[np.ndarray, list[tuple[Hashable, Any]]]:
        """Return the raw row of an event to learn, and what in it is new.

        Nothing changes here, so that a bad value leaves no trace. What is new (features, kinds and
        categories) goes to `register`.

        Parameters
        ----------
        x
            An event: feature names and values.

        Returns
        -------
        The row, and pairs of a feature name and the value that brings something new.

        Raises
        ------
        TypeError
            For a value or name that is unhashable or otherwise impossible.
        """
        if type(x) is not dict:
            x = dict(x)
        complete = True
        try:
            values = self._values(x)
        except KeyError:
            values, complete = self._values_with_gaps(x), False
        row, unseen = self._encode(values)
        if complete and len(x) == len(values) and not unseen:
            return row, []
        fresh = [(self.names[i], values[i]) for i in unseen]
        for name in x.keys() - self.index.keys():
            check_value(name, x[name])
            fresh.append((name, x[name]))
        return row, fresh

    def register(self, fresh: list[tuple[Hashable, Any]], row: np.ndarray) -> np.ndarray:
        """Take in what `prepare` found to be new and return the completed row.

        Parameters
        ----------
        fresh
            Feature names and values, as `prepare` returned them.
        row
            The row that came with them.
        """
        new = [name for name, _ in fresh if name not in self.index]
        if new:
            known = dict(zip(self.names, row.tolist(), strict=True))
            self.add_features(new)
            row = np.array([known.get(name, MISSING) for name in self.names], dtype=np.float64)
        for name, value in fresh:
            row[self.index[name]] = self.learn_value(self.index[name], value)
        return row

    def add_features(self, names: Collection[Hashable]) -> None:
        """Take in features by name; the features already there keep their relative order.

        Parameters
        ----------
        names
            Names that are not known yet.
        """
        if not names:
            return
        order = sorted([*self.names, *names], key=feature_key)
        where = [self.index.get(name) for name in order]
        born = [CATEGORICAL if name in self.nominal else UNKNOWN for name in order]
        self.kinds = [born[j] if i is None else self.kinds[i] for j, i in enumerate(where)]
        self.vocabularies = [{} if i is None else self.vocabularies[i] for i in where]
        self.free_ids = [[] if i is None else self.free_ids[i] for i in where]
        self.next_ids = [0 if i is None else self.next_ids[i] for i in where]
        self.names = order
        self.index = {name: i for i, name in enumerate(order)}
        self._refresh()

    def learn_value(self, i: int, value: Any) -> float:
        """Return the cell of a value of feature `i`; a category gets an id where it has none.

        Parameters
        ----------
        i
            Index of the feature.
        value
            A checked value.
        """
        role = value_role(type(value))
        if role == _MISSING or is_nan(value):
            return MISSING
        if self.kinds[i] == UNKNOWN:
            self.kinds[i] = NUMERIC if role == _NUMBER else CATEGORICAL
            self._refresh()
        if role == _NUMBER and self.kinds[i] == NUMERIC:
            return as_float(self.names[i], value)
        vocabulary = self.vocabularies[i]
        if value not in vocabulary:
            if self.free_ids[i]:
                category_id = self.free_ids[i].pop()
            else:
                category_id = self.next_ids[i]
                self.next_ids[i] += 1
            vocabulary[value] = box(category_id)
        return vocabulary[value]

    def settle_kind(self, i: int, kind: int) -> None:
        """Say what kind a feature is that was missing so far; others keep theirs.

        Parameters
        ----------
        i
            Index of the feature.
        kind
            `UNKNOWN`, `NUMERIC` or `CATEGORICAL`.
        """
        if self.kinds[i] == UNKNOWN and kind != UNKNOWN:
            self.kinds[i] = kind
            self._refresh()

    def forget(self, i: int, keep: set[int]) -> None:
        """Drop the categories of feature `i` whose ids are not in `keep`.

        Parameters
        ----------
        i
            Index of the feature.
        keep
            Ids that are still in use.
        """
        vocabulary = self.vocabularies[i]
        gone = [value for value, cell in vocabulary.items() if unbox(cell) not in keep]
        for value in gone:
            self.free_ids[i].append(unbox(vocabulary.pop(value)))
        self._drop_latest()

    # Steps ---------------------------------------------------------------------------------

    def _values_with_gaps(self, x: dict[Hashable, Any]) -> tuple[Any, ...]:
        return tuple([x.get(name) for name in self.names])

    def _plan_of(self, types: tuple[type, ...]) -> _Plan:
        plan = self._plans.get(types)
        if plan is None:
            if len(self._plans) >= _MAX_PLANS:
                self._plans.clear()
            plan = self._plans[types] = self._make_plan(types)
        self._plan = plan
        return plan

    def _make_plan(self, types: tuple[type, ...]) -> _Plan:
        roles = [value_role(t) for t in types]
        missing = tuple(i for i, role in enumerate(roles) if role == _MISSING)
        lookups = tuple(
            i
            for i, role in enumerate(roles)
            if role in (_CATEGORY, _IMPOSSIBLE) or (role == _NUMBER and self.kinds[i] != NUMERIC)
        )
        careful = _IMPOSSIBLE in roles
        plain, all_lookups = not lookups and not missing, len(lookups) == len(types)
        return _Plan(types, lookups, missing, plain, all_lookups, careful)

    def _encode(self, values: tuple[Any, ...]) -> tuple[np.ndarray, list[int]]:
        """Return the raw row of the values and the places of the categories without an id."""
        latest, row = self._latest
        if all(map(operator.is_, values, latest)):
            return row, _NONE
        types = tuple(map(type, values))
        plan = self._plan
        if types != plan.types:
            plan = self._plan_of(types)
        if plan.careful:
            return self._encode_slowly(values, plan)
        try:
            cells = values if plan.plain else self._cells(values, plan)
            row = np.frombuffer(bytearray(self._pack(*cells)))
        except (struct.error, TypeError, ValueError, ArithmeticError):
            return self._encode_slowly(values, plan)
        self._latest = values, row
        return row, _NONE

    def _cells(self, values: tuple[Any, ...], plan: _Plan) -> Iterable[Any]:
        """Return one float a value; None, which does not pack, for a category without an id."""
        if plan.all_lookups:
            return map(dict.get, self.vocabularies, values)
        cells = list(values)
        for i in plan.lookups:
            cells[i] = self.vocabularies[i].get(cells[i])
        for i in plan.missing:
            cells[i] = MISSING
        return cells

    def _encode_slowly(self, values: tuple[Any, ...], plan: _Plan) -> tuple[np.ndarray, list[int]]:
        row = np.empty(len(values))
        unseen = []
        for i, value in enumerate(values):
            if i in plan.missing:
                row[i] = MISSING
            elif i not in plan.lookups:
                row[i] = as_float(self.names[i], value)
            else:
                check_value(self.names[i], value)
                cell = self.vocabularies[i].get(value)
                if cell is None and not is_nan(value):
                    unseen.append(i)
                row[i] = cell if cell is not None else MISSING if is_nan(value) else UNSEEN
        return row, unseen


_NONE: list[int] = []


def _getter(names: list[Hashable]) -> Callable[[dict[Hashable, Any]], tuple[Any, ...]]:
    """Return what takes the values of these names out of a dict."""
    if len(names) > 1:
        return operator.itemgetter(*names)
    return lambda x: tuple([x[name] for name in names])


def check_value(name: Hashable, value: Any) -> None:
    """Raise unless a value can be a number, a category or missing.

    Parameters
    ----------
    name
        Name of the feature, for the message.
    value
        The value.

    Raises
    ------
    TypeError
        If the value is unhashable, or a number without a place on the line (complex).
    """
    role = value_role(type(value))
    if role == _IMPOSSIBLE:
        raise TypeError(f"feature {name!r}: the value {value!r} is no real number")
    if role == _NUMBER:
        as_float(name, value)
    elif role == _CATEGORY:
        try:
            hash(value)
        except TypeError:
            raise TypeError(
                f"feature {name!r}: the value {value!r} is unhashable, so it can't be a category"
            ) from None


def as_float(name: Hashable, value: Any) -> float:
    """Return a number as a float; what is too large for one becomes infinite.

    Parameters
    ----------
    name
        Name of the feature, for the message.
    value
        The number.

    Raises
    ------
    TypeError
        If it is no real number.
    """
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except (TypeError, ValueError, ArithmeticError):
        raise TypeError(
            f"feature {name!r}: the value {value!r} is neither a real number nor a category"
        ) from None
