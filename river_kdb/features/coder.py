"""From raw rows to codes: the bins and slots of every feature."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from river_kdb.features.boxes import ID_MASK, MARK_BITS, UNSEEN_ID, unbox_array
from river_kdb.features.discretize import cut_points, quantile_of_rows
from river_kdb.features.encoder import NUMERIC
from river_kdb.jit import block_kernel, inlined

CUT_START, N_CUTS, BIN_START, MISSING_SLOT, OTHER_SLOT, ID_START, N_IDS = range(7)
"""Columns of `CodeTables.spec`."""

SKIPPED = -1
"""Code of a missing value where missing values are left out."""

_FEW_CUTS = 64
"""So many cut points are faster held against all rows than searched for every row."""

UNOPENED = -2
"""Code of a value that has no slot yet: unseen at prediction, to be opened in learning."""

_AT_A_GLANCE = 8
"""So many cuts are compared with a value one after the other faster than by halves."""


class CodeTables(NamedTuple):
    """What the kernels need to code a raw cell.

    Attributes
    ----------
    spec
        int64 array of shape (n_features, 7), see the names of its columns above.
    cuts
        float64 array: the cut points of all features, one run a feature.
    slots
        int16 array: the slots of the category ids, one run a feature; negative for an id that
        has no slot of its own.
    """

    spec: np.ndarray
    cuts: np.ndarray
    slots: np.ndarray


@inlined
def code_block(raw, tables, codes):
    """Code the rows in `raw` (n, b) into `codes` (n, b).

    Returns whether any value has no slot yet.
    """
    spec, cuts, slots = tables
    bits = raw.view(np.int64)
    unopened = False
    for i in range(raw.shape[0]):
        first_cut, n_cuts, first_bin = spec[i, CUT_START], spec[i, N_CUTS], spec[i, BIN_START]
        first_id, n_ids = spec[i, ID_START], spec[i, N_IDS]
        for r in range(raw.shape[1]):
            value, mark = raw[i, r], bits[i, r]
            if value == value:
                low, size = first_cut, n_cuts
                while size > _AT_A_GLANCE:
                    half = size >> 1
                    if cuts[low + half] < value:
                        low += half + 1
                        size -= half + 1
                    else:
                        size = half
                code = first_bin + low - first_cut
                for cut in range(low, low + size):
                    code += 1 if cuts[cut] < value else 0
            elif mark >> 32 != MARK_BITS:
                code = spec[i, MISSING_SLOT]
            else:
                code = np.int64(UNOPENED)
                category = mark & ID_MASK
                if category < n_ids:
                    code = np.int64(slots[first_id + category])
                if code < 0 and category != UNSEEN_ID:
                    code = spec[i, OTHER_SLOT]
            codes[i, r] = code
            unopened |= code == UNOPENED
    return unopened


@block_kernel
def code_rows(raw, tables, codes):
    """Do what `code_block` does for so many rows that each cut point is best held against all."""
    spec, cuts, slots = tables
    bits = raw.view(np.int64)
    unopened = False
    for i in range(raw.shape[0]):
        first_cut, n_cuts, first_bin = spec[i, CUT_START], spec[i, N_CUTS], spec[i, BIN_START]
        first_id, n_ids = spec[i, ID_START], spec[i, N_IDS]
        for r in range(raw.shape[1]):
            codes[i, r] = first_bin
        if n_cuts <= _FEW_CUTS:
            for z in range(first_cut, first_cut + n_cuts):
                cut = cuts[z]
                for r in range(raw.shape[1]):
                    codes[i, r] += np.int16(raw[i, r] > cut)
        else:
            for r in range(raw.shape[1]):
                low, high = first_cut, first_cut + n_cuts
                while low < high:
                    middle = (low + high) >> 1
                    if cuts[middle] < raw[i, r]:
                        low = middle + 1
                    else:
                        high = middle
                codes[i, r] += np.int16(low - first_cut)
        for r in range(raw.shape[1]):
            if raw[i, r] != raw[i, r]:
                code, mark = spec[i, MISSING_SLOT], bits[i, r]
                if mark >> 32 == MARK_BITS:
                    code = np.int64(UNOPENED)
                    category = mark & ID_MASK
                    if category < n_ids:
                        code = np.int64(slots[first_id + category])
                    if code < 0 and category != UNSEEN_ID:
                        code = spec[i, OTHER_SLOT]
                codes[i, r] = code
            unopened |= codes[i, r] == UNOPENED
    return unopened


class Coder:
    """The bins and slots of every feature.

    A slot is a bin of numbers, a category, the missing value, or OTHER, which the categories
    share that found no slot of their own. A slot is opened when it is first needed, so a feature
    that never was missing has none for it.

    Parameters
    ----------
    max_categories
        How many categories of a feature have a slot of their own.
    skip_missing
        Whether missing values are left out instead of being a value of their own.

    Examples
    --------
    >>> import numpy as np
    >>> from river_kdb.features.coder import Coder
    >>> from river_kdb.features.encoder import NUMERIC
    >>> coder = Coder(max_categories=2, skip_missing=False)
    >>> coder.insert(np.array([0]))
    array([-2])
    >>> coder.set_bins(0, np.array([0.5, 1.5]))
    >>> coder.code(np.array([[0.0, 1.0, 2.0]]))
    array([[0, 1, 2]], dtype=int16)
    """

    def __init__(self, max_categories: int, skip_missing: bool):
        self.max_categories = max_categories
        self.skip_missing = skip_missing
        self.cuts: list[np.ndarray] = []
        self.bin_start: list[int] = []
        self.n_slots: list[int] = []
        self.missing: list[int] = []
        self.other: list[int] = []
        self.slot_of_id: list[np.ndarray] = []
        self.n_own: list[int] = []
        self.is_frozen = False
        self.tables = self._flatten()

    def insert(self, indices: np.ndarray, missing_so_far: bool = False) -> np.ndarray:
        """Make room for new features.

        Parameters
        ----------
        indices
            int array: their indices among all features, rising.
        missing_so_far
            Whether there were events before, in all of which they were missing.

        Returns
        -------
        int array: their slots for the missing value, negative where they have none.
        """
        for i in indices.tolist():
            self.cuts.insert(i, np.empty(0))
            self.bin_start.insert(i, UNOPENED)
            self.n_slots.insert(i, 0)
            self.missing.insert(i, SKIPPED if self.skip_missing else UNOPENED)
            self.other.insert(i, UNOPENED)
            self.slot_of_id.insert(i, np.empty(0, dtype=np.int16))
            self.n_own.insert(i, 0)
            if missing_so_far:
                self.open_missing(i)
            if self.is_frozen:
                self._settle(i)
        self.tables = self._flatten()
        return np.array([self.missing[i] for i in indices.tolist()], dtype=np.int64)

    def freeze(self) -> None:
        """Let cut points and slots stay as they are.

        Slots that may be needed later get the same numbers whatever comes first: the one for the
        missing value is opened now, and OTHER, which all categories without a slot share, can only
        be the next. A feature without any slot for its values, and one that comes later, has one
        for all of them.
        """
        self.is_frozen = True
        for i in range(len(self.cuts)):
            self._settle(i)
        self.tables = self._flatten()

    def _settle(self, i: int) -> None:
        self.open_missing(i)
        if self.bin_start[i] == UNOPENED and not self.n_own[i]:
            self.open_other(i, shared=True)

    def is_shared(self, i: int) -> bool:
        """Say whether all values of feature `i`, numbers or not, have one slot.

        Parameters
        ----------
        i
            Index of the feature.
        """
        return self.other[i] >= 0 and self.bin_start[i] == self.other[i] and not self.n_own[i]

    def set_bins(self, i: int, cuts: np.ndarray) -> None:
        """Open the bins of a numeric feature that has none yet.

        Parameters
        ----------
        i
            Index of the feature.
        cuts
            Sorted cut points; a number falls in the bin that counts the cuts below it.
        """
        self.cuts[i] = cuts
        self.bin_start[i] = self.n_slots[i]
        self.n_slots[i] += len(cuts) + 1
        self.tables = self._flatten()

    def open_slots(self, raw: np.ndarray, kinds: list[int]) -> None:
        """Open a slot for every value of the raw rows that needs one.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        kinds
            Kind of every feature.
        """
        ids = unbox_array(np.ascontiguousarray(raw))
        for i in range(len(raw)):
            if kinds[i] == NUMERIC and self.bin_start[i] < 0:
                self.set_bins(i, np.empty(0))
            if self.missing[i] == UNOPENED and (np.isnan(raw[i]) & (ids[i] < 0)).any():
                self.open_missing(i)
            for category in dict.fromkeys(ids[i][ids[i] >= 0].tolist()):
                self.open_category(i, category)
        self.tables = self._flatten()

    def open_missing(self, i: int) -> int:
        """Return the slot of feature `i` for the missing value, opened if need be.

        `tables` are left as they are, as by the two below.

        Parameters
        ----------
        i
            Index of the feature.

        Returns
        -------
        The slot; negative where missing values are left out.
        """
        if self.missing[i] == UNOPENED:
            self.missing[i] = self._next_slot(i)
        return self.missing[i]

    def open_other(self, i: int, shared: bool = False) -> int:
        """Return the slot of feature `i` that categories share, opened if need be.

        Parameters
        ----------
        i
            Index of the feature.
        shared
            Whether numbers, if they have no bins, shall share it too.
        """
        if self.other[i] == UNOPENED:
            self.other[i] = self._next_slot(i)
        if shared and self.bin_start[i] == UNOPENED:
            self.bin_start[i] = self.other[i]
        return self.other[i]

    def open_category(self, i: int, category: int) -> int:
        """Return the slot of a category of feature `i`, opened if need be; it may be OTHER.

        Parameters
        ----------
        i
            Index of the feature.
        category
            Id of the category.
        """
        slots = self.slot_of_id[i]
        if category < len(slots) and slots[category] >= 0:
            return int(slots[category])
        if self.is_frozen or self.n_own[i] == self.max_categories:
            return self.open_other(i)
        if category >= len(slots):
            grown = np.full(category + 1, UNOPENED, dtype=np.int16)
            grown[: len(slots)] = slots
            slots = self.slot_of_id[i] = grown
        self.n_own[i] += 1
        slots[category] = self._next_slot(i)
        return int(slots[category])

    def renew_tables(self) -> None:
        """Bring `tables` up to date with the slots that were opened."""
        self.tables = self._flatten()

    def refit(
        self,
        raw: np.ndarray,
        labels: np.ndarray,
        weights: np.ndarray,
        kinds: list[int],
        discretizer: tuple[str, int],
    ) -> None:
        """Choose cut points and slots anew from a sample.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows): the sample, oldest row first.
        labels
            int array of shape (n_rows,): the classes.
        weights
            float64 array of shape (n_rows,).
        kinds
            Kind of every feature.
        discretizer
            Method and number of bins, see `cut_points`.
        """
        ids = unbox_array(raw)
        is_category: np.ndarray = ids >= 0
        are_categories = np.any(is_category, axis=1).tolist()
        are_missing = np.any(np.isnan(raw) & ~is_category, axis=1).tolist()
        cuts = _cuts(raw, labels, weights, kinds, discretizer)
        for i in range(len(raw)):
            self._clear(i)
            if kinds[i] == NUMERIC:
                self.cuts[i] = cuts[i]
                self.bin_start[i] = 0
                self.n_slots[i] = len(cuts[i]) + 1
            if are_categories[i]:
                for category in _by_weight(ids[i], weights)[: self.max_categories + 1]:
                    self.open_category(i, category)
            if are_missing[i]:
                self.open_missing(i)
        self.tables = self._flatten()

    def is_settled(self, kinds: list[int]) -> bool:
        """Say whether `refit` would change nothing: every value has a slot of its own.

        Parameters
        ----------
        kinds
            Kind of every feature.
        """
        return NUMERIC not in kinds and all(slot == UNOPENED for slot in self.other)

    def slotted_ids(self, i: int) -> set[int]:
        """Return the ids of feature `i` that have a slot of their own.

        Parameters
        ----------
        i
            Index of the feature.
        """
        return set(np.flatnonzero(self.slot_of_id[i] >= 0).tolist())

    def code_into(self, raw: np.ndarray, codes: np.ndarray) -> bool:
        """Code raw rows; say whether any value has no slot yet.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        codes
            int16 array of the same shape, written to.
        """
        return bool(code_rows(raw, self.tables, codes))

    def code(self, raw: np.ndarray) -> np.ndarray:
        """Return the codes of raw rows.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        """
        codes = np.empty(raw.shape, dtype=np.int16)
        self.code_into(raw, codes)
        return codes

    def _clear(self, i: int) -> None:
        self.cuts[i] = np.empty(0)
        self.bin_start[i] = UNOPENED
        self.n_slots[i] = self.n_own[i] = 0
        self.missing[i] = SKIPPED if self.skip_missing else UNOPENED
        self.other[i] = UNOPENED
        self.slot_of_id[i] = np.empty(0, dtype=np.int16)

    def _next_slot(self, i: int) -> int:
        self.n_slots[i] += 1
        return self.n_slots[i] - 1

    def _flatten(self) -> CodeTables:
        n = len(self.cuts)
        spec = np.zeros((n, 7), dtype=np.int64)
        n_cuts = [len(cuts) for cuts in self.cuts]
        n_ids = [len(slots) for slots in self.slot_of_id]
        spec[:, CUT_START] = np.cumsum([0, *n_cuts])[:n]
        spec[:, N_CUTS] = n_cuts
        spec[:, BIN_START] = self.bin_start
        spec[:, MISSING_SLOT] = self.missing
        spec[:, OTHER_SLOT] = self.other
        spec[:, ID_START] = np.cumsum([0, *n_ids])[:n]
        spec[:, N_IDS] = n_ids
        empty = np.empty(0, dtype=np.int16)
        return CodeTables(
            spec,
            np.concatenate([np.empty(0), *self.cuts]),
            np.concatenate([empty, *self.slot_of_id]),
        )


def _cuts(
    raw: np.ndarray,
    labels: np.ndarray,
    weights: np.ndarray,
    kinds: list[int],
    discretizer: tuple[str, int],
) -> dict[int, np.ndarray]:
    """Return the cut points of every numeric feature by its index."""
    method, n_bins = discretizer
    numeric = [i for i, kind in enumerate(kinds) if kind == NUMERIC]
    if method == "quantile" and (weights == 1.0).all():
        return dict(zip(numeric, quantile_of_rows(raw[numeric], n_bins), strict=True))
    cuts = {}
    for i in numeric:
        there = ~np.isnan(raw[i])
        cuts[i] = cut_points(
            raw[i][there], labels[there], weights[there], method=method, n_bins=n_bins
        )
    return cuts


def _by_weight(ids: np.ndarray, weights: np.ndarray) -> list[int]:
    """Return the ids that occur, the weightiest first, of equals the one seen first."""
    there = ids >= 0
    totals = np.bincount(ids[there], weights=weights[there])
    first = np.full(len(totals), len(ids))
    first[ids[there][::-1]] = np.flatnonzero(there)[::-1]
    kinds = np.flatnonzero(first < len(ids))
    return kinds[np.lexsort((first[kinds], -totals[kinds]))].tolist()
