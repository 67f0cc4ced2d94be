"""The tables that the papers print, under the names of our sets."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pandas as pd

FOLDER = Path(__file__).parents[1] / "papers"


class Printed(NamedTuple):
    """A printed table.

    Attributes
    ----------
    values
        A row for each set that can be compared, a column for each printed one; NaN where nothing
        is printed, or a slip.
    factors
        By column: what the numbers of errors were multiplied by, 1 if by nothing.
    notes
        What was left out and why, by set.
    """

    values: pd.DataFrame
    factors: pd.Series
    notes: dict[str, str]


def table_name(protocol: str, measure: str) -> str:
    """Return the name of the file of a table, without its ending."""
    return f"{protocol}_{measure}"


def read_names() -> pd.DataFrame:
    """Return our name, and whether to compare, for every printed name."""
    return pd.read_csv(FOLDER / "sets.csv", index_col="printed", keep_default_na=False)


def read_printed(protocol: str, measure: str) -> Printed:
    """Return a table of a paper."""
    name = table_name(protocol, measure)
    table = pd.read_csv(FOLDER / f"{name}.csv", index_col="dataset")
    names = read_names().loc[table.index]
    notes: dict[str, str] = {}
    slips = pd.read_csv(FOLDER / "slips.csv")
    for slip in slips[slips["table"] == name].itertuples():
        table.loc[slip.dataset, slip.column] = float("nan")
        where = names.loc[slip.dataset, "set"]
        note = f"{slip.column} {slip.note}"
        notes[where] = f"{notes[where]}; {note}" if where in notes else note
    table.index = pd.Index(names["set"], name="set")
    compared = (names["compared"] == "yes").to_numpy()
    for line in names[~compared].itertuples():
        notes[line.set] = line.note
    return Printed(table[compared].astype(float), _factors(name, table.columns), notes)


def _factors(name: str, columns: pd.Index) -> pd.Series:
    lines = pd.read_csv(FOLDER / "factors.csv")
    found = lines[lines["table"] == name].set_index("column")["factor"]
    return found.reindex(columns).fillna(1.0)


def printed_sets(protocol: str, measures: list[str]) -> list[str]:
    """Return the sets of the tables of a paper that can be compared."""
    names: dict[str, None] = {}
    for measure in measures:
        names |= dict.fromkeys(read_printed(protocol, measure).values.index)
    return list(names)
