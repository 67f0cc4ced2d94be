"""The bins and slots of every feature, in every chain of a mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from river_kdb.features.coder import CUT_START, ID_START, Coder, CodeTables
from river_kdb.mixture.experts import Chain


class Codings:
    """One coder for each chain, and their tables behind each other.

    Features are numbered chain by chain, see `Banks`.

    Parameters
    ----------
    chains
        The chains.
    max_categories
        How many categories of a feature have a slot of their own.
    skip_missing
        Whether missing values are left out.
    n_features
        How many features there are.
    """

    def __init__(
        self, chains: Sequence[Chain], max_categories: int, skip_missing: bool, n_features: int
    ) -> None:
        self.chains = list(chains)
        self.coders = [Coder(max_categories, skip_missing) for _ in chains]
        self.insert(np.arange(n_features), missing_so_far=False)

    def own_slots(self) -> list[dict[object, int]]:
        """Return the slots of every feature that are no bins of the first chain, by what they are.

        A category is known by its id, the others as `"missing"` and `"other"`.
        """
        coder = self.coders[0]
        found: list[dict[object, int]] = []
        for slots, missing, other in zip(coder.slot_of_id, coder.missing, coder.other, strict=True):
            own: dict[object, int] = {int(i): int(slots[i]) for i in np.flatnonzero(slots >= 0)}
            own.update({"missing": missing, "other": other})
            found.append({what: slot for what, slot in own.items() if slot >= 0})
        return found

    @property
    def n_slots(self) -> np.ndarray:
        """Slots of every feature of every chain, int64 array (V,)."""
        return np.array([s for coder in self.coders for s in coder.n_slots], dtype=np.int64)

    def insert(self, indices: np.ndarray, missing_so_far: bool) -> np.ndarray:
        """Make room for new features.

        Parameters
        ----------
        indices
            int array: their indices among all features, rising.
        missing_so_far
            Whether there were events before, in all of which they were missing.

        Returns
        -------
        int array of shape (n_chains, n_new): their slots for the missing value, negative where
        they have none.
        """
        slots = [coder.insert(indices, missing_so_far) for coder in self.coders]
        self.tables = stacked([coder.tables for coder in self.coders])
        return np.array(slots).reshape(len(self.coders), len(indices))

    def open_slots(self, raw: np.ndarray, kinds: list[int]) -> None:
        """Open a slot for every value of raw rows that has none.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        kinds
            Kind of every feature.
        """
        for coder in self.coders:
            coder.open_slots(raw, kinds)
        self.tables = stacked([coder.tables for coder in self.coders])

    def refit(
        self, raw: np.ndarray, labels: np.ndarray, weights: np.ndarray, kinds: list[int]
    ) -> None:
        """Choose cut points and slots anew from a sample.

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        labels
            int array of shape (n_rows,).
        weights
            float64 array of shape (n_rows,).
        kinds
            Kind of every feature.
        """
        for chain, coder in zip(self.chains, self.coders, strict=True):
            coder.refit(raw, labels, weights, kinds, (chain.discretizer, chain.n_bins))
        self.tables = stacked([coder.tables for coder in self.coders])

    def code(self, raw: np.ndarray) -> np.ndarray:
        """Return the codes (V, b) of raw rows (n, b).

        Parameters
        ----------
        raw
            float64 array of shape (n_features, n_rows).
        """
        return np.concatenate([coder.code(raw) for coder in self.coders])


def stacked(tables: Sequence[CodeTables]) -> CodeTables:
    """Return the tables of several coders as those of one with all their features.

    Parameters
    ----------
    tables
        Tables.
    """
    specs = []
    n_cuts = n_ids = 0
    for spec, cuts, slots in tables:
        moved = spec.copy()
        moved[:, CUT_START] += n_cuts
        moved[:, ID_START] += n_ids
        specs.append(moved)
        n_cuts += len(cuts)
        n_ids += len(slots)
    return CodeTables(
        np.concatenate(specs),
        np.concatenate([cuts for _, cuts, _ in tables]),
        np.concatenate([slots for _, _, slots in tables]),
    )
