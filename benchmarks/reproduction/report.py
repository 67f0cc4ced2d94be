"""Tables of what was measured, beside what the papers print."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.reproduction import statistics
from benchmarks.reproduction.algorithms import Algorithm
from benchmarks.reproduction.printed import Printed, read_printed
from benchmarks.reproduction.protocols import (
    Options,
    Protocol,
    model_parameters,
    settings_text,
)
from benchmarks.reproduction.store import KEY, Key, Store

LARGE_IS_GOOD = {"macro_f1", "mcc"}
FROM_DRAWS = {"bias", "variance"}
ENOUGH_SETS = 0.8
MANY_ROWS = 500
"""From here on a difference is more than the luck of the folds."""

FIELDS_OF_TIME = ("learn_seconds", "predict_seconds", "peak_mib")


class Section(NamedTuple):
    """A table of the report; `name` is what its CSV is called after the protocol."""

    name: str
    title: str
    table: pd.DataFrame
    notes: Sequence[str] = ()


class Measured(NamedTuple):
    """What was measured under a protocol.

    Attributes
    ----------
    frame
        The lines of results.csv, those of failed tasks left out; figures of several rounds are
        their means, and `rounds` says of how many.
    failed
        The lines of the failed tasks.
    correct
        Which rows were predicted right, by key.
    settings
        The settings of every set and algorithm in the first round.
    """

    frame: pd.DataFrame
    failed: pd.DataFrame
    correct: Mapping[Key, np.ndarray]
    settings: Mapping[tuple[str, str], str]

    def values(self, field: str, algorithms: Iterable[str]) -> pd.DataFrame:
        """Return a field: a row for each set, a column for each algorithm that has results."""
        wide = self.frame.pivot(index="set", columns="algorithm", values=field)
        return wide[[name for name in algorithms if name in wide]].astype(float)

    def of_sets(self, sets: Iterable[str] | None) -> Measured:
        """Return what was measured on some sets, or all."""
        if sets is None:
            return self
        kept = set(sets)
        return self._replace(
            frame=self.frame[self.frame["set"].isin(kept)],
            failed=self.failed[self.failed["set"].isin(kept)],
        )


def read_measured(
    store: Store, protocol: Protocol, algorithms: Mapping[str, Algorithm], options: Options
) -> Measured:
    """Return the results under a protocol with these options."""
    every, failed, settings = [], [], {}
    stored = store.frame()
    for own in reversed(options.of_rounds()):
        right = _has_settings(stored, protocol, algorithms, own)
        if own.max_rows:
            whole = _has_settings(stored, protocol, algorithms, own._replace(max_rows=None))
            right |= whole & (stored["rows"] < own.max_rows)
        frame = stored[right]
        fine = frame["status"] == "ok"
        every.append(frame[fine])
        failed.append(frame[~fine])
        for name, algorithm, text in frame.loc[fine, KEY].itertuples(index=False, name=None):
            settings[name, algorithm] = text
    return Measured(_means(pd.concat(every)), pd.concat(failed), store.correct(), settings)


def _means(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the means over the rounds of each set and algorithm."""
    by = frame.groupby(["set", "algorithm"], sort=False)
    means = by.mean(numeric_only=True)
    for field in ("rows", "features", "classes"):
        means[field] = means[field].astype(int)
    return means.assign(rounds=by.size()).reset_index()


def _has_settings(
    frame: pd.DataFrame, protocol: Protocol, algorithms: Mapping[str, Algorithm], options: Options
) -> pd.Series:
    texts = {
        name: settings_text(model_parameters(protocol, algorithm, options), options)
        for name, algorithm in algorithms.items()
        if algorithm.is_there
    }
    return frame["algorithm"].map(texts) == frame["settings"]


# Tables ------------------------------------------------------------------------------------------


def beside(values: pd.DataFrame, printed: Printed, columns: Mapping[str, str]) -> pd.DataFrame:
    """Return a line for each set and printed column: printed, measured and the difference."""
    lines = []
    for column, name in columns.items():
        if name not in values or column not in printed.values:
            continue
        both = pd.DataFrame({"printed": printed.values[column], "measured": values[name]}).dropna()
        both = both.assign(
            algorithm=name,
            column=column,
            difference=both["measured"] - both["printed"],
            without_factor=both["measured"] - both["printed"] / printed.factors[column],
        )
        lines.append(both.rename_axis("set").reset_index())
    names = ["set", "algorithm", "column", "printed", "measured", "difference", "without_factor"]
    found = pd.concat(lines) if lines else pd.DataFrame(columns=names)
    return found[names].reset_index(drop=True)


def agreement(lines: pd.DataFrame, factors: pd.Series, sizes: Mapping[str, int]) -> pd.DataFrame:
    """Return how far the algorithms are from their printed columns.

    Parameters
    ----------
    lines
        What `beside` returned.
    factors
        By column: what the printed figures were multiplied by.
    sizes
        The rows of every set.
    """
    rows = []
    for (column, name), part in lines.groupby(["column", "algorithm"], sort=False):
        measured, printed = part["measured"].to_numpy(), part["printed"].to_numpy()
        widest = part.loc[part["difference"].abs().idxmax()]
        large = part.loc[part["set"].map(sizes) >= MANY_ROWS, "difference"]
        row = {
            "algorithm": name,
            "column": column,
            "sets": len(part),
            "printed": printed.mean(),
            "measured": measured.mean(),
            "mean difference": statistics.mean_difference(measured, printed),
            "mean absolute difference": statistics.mean_absolute_difference(measured, printed),
            f"sets of {MANY_ROWS}+ rows": len(large),
            "mean absolute difference there": large.abs().mean(),
            "widest": widest["difference"],
            "at": widest["set"],
        }
        if (factors != 1.0).any():
            apart = part["without_factor"].to_numpy()
            row |= {
                "factor": factors[column],
                "mean difference without": apart.mean(),
                "mean absolute difference without": np.abs(apart).mean(),
            }
        rows.append(row)
    return pd.DataFrame(rows)


def losses(table: pd.DataFrame, field: str) -> pd.DataFrame:
    """Return a table in which small is good."""
    return -table if field in LARGE_IS_GOOD else table


def sign_verdicts(
    measured: Measured, a: str, b: str, sets: Iterable[str], alternative: str
) -> np.ndarray | None:
    """Return who is significantly better on each set, None unless the outcomes are all there."""
    verdicts = []
    for name in sets:
        found = [measured.correct.get((name, x, measured.settings[name, x])) for x in (a, b)]
        if found[0] is None or found[1] is None:
            return None
        verdicts.append(statistics.sign_test(*found, alternative=alternative))
    return np.array(verdicts)


def duels(
    measured: Measured,
    values: pd.DataFrame,
    printed: Printed,
    columns: Mapping[str, str],
    field: str,
    alternative: str,
) -> pd.DataFrame:
    """Return win/draw/loss of every two algorithms, measured and printed on the same sets."""
    there = [(c, n) for c, n in columns.items() if n in values and c in printed.values]
    rows = []
    for i, (column_a, a) in enumerate(there):
        for column_b, b in there[:i]:
            both = losses(values[[a, b]].join(printed.values[[column_a, column_b]]), field)
            both = both.dropna()
            if both.empty:
                continue
            as_run = both[column_a] / printed.factors[column_a]
            as_run_b = both[column_b] / printed.factors[column_b]
            plain = statistics.record(statistics.plain_verdicts(both[a], both[b]))
            paper = statistics.record(statistics.plain_verdicts(both[column_a], both[column_b]))
            row = {
                "a": a,
                "b": b,
                "sets": len(both),
                "W/D/L": str(plain),
                "printed W/D/L": str(paper),
                "GD": plain.goal_difference,
                "printed GD": paper.goal_difference,
            }
            if field == "zero_one":
                row |= _of_zero_one(measured, both, (a, b), (column_a, column_b), alternative)
            if (printed.factors != 1.0).any():
                apart = statistics.record(statistics.plain_verdicts(as_run, as_run_b))
                row["W/D/L without factors"] = str(apart)
            rows.append(row)
    return pd.DataFrame(rows)


def _of_zero_one(
    measured: Measured,
    both: pd.DataFrame,
    names: tuple[str, str],
    columns: tuple[str, str],
    alternative: str,
) -> dict[str, object]:
    verdicts = sign_verdicts(measured, *names, both.index, alternative)
    return {
        "sign test": "" if verdicts is None else str(statistics.record(verdicts)),
        "relative loss": statistics.relative_loss(both[names[0]], both[names[1]]),
        "printed relative loss": statistics.relative_loss(both[columns[0]], both[columns[1]]),
    }


def rank_table(
    values: pd.DataFrame, printed: Printed, columns: Mapping[str, str], field: str
) -> tuple[pd.DataFrame, list[str], pd.DataFrame]:
    """Return average ranks on the sets that have all, the tests in words, and the losses."""
    there = {c: n for c, n in columns.items() if n in values and c in printed.values}
    ours = losses(values[list(there.values())], field)
    theirs = losses(printed.values[list(there)], field)
    both = ours.join(theirs).dropna()
    ours, theirs = both[list(there.values())], both[list(there)]
    if len(both) < 2 or len(there) < 3:
        return pd.DataFrame(), [], ours
    table = pd.DataFrame({"algorithm": list(there.values()), "column": list(there)})
    table["measured"] = statistics.ranks(ours).to_numpy()
    table["printed"] = statistics.ranks(theirs).to_numpy()
    if (printed.factors != 1.0).any():
        apart = (theirs / printed.factors[list(there)]).round(6)
        table["printed without factors"] = statistics.ranks(apart).to_numpy()
    notes = [_friedman_text("measured", ours), _friedman_text("printed", theirs)]
    return table.sort_values("measured"), notes, ours


def _friedman_text(what: str, table: pd.DataFrame) -> str:
    test = statistics.friedman(table)
    critical = statistics.critical_difference(table.shape[1], table.shape[0])
    return (
        f"{what}: {table.shape[0]} sets, Friedman chi² {test.chi2:.2f} (p {test.p:.2g}), "
        f"F {test.f:.2f} (p {test.f_p:.2g}), Nemenyi's critical difference {critical:.3f}"
    )


def ranks_of_all(values: pd.DataFrame) -> tuple[pd.DataFrame, list[str], pd.DataFrame]:
    """Return mean losses and average ranks of all that was measured, on the sets that have all.

    Algorithms that were tried on few of the sets are left out.
    """
    counts = values.count()
    few = counts[counts < ENOUGH_SETS * counts.max()].index
    full = values.drop(columns=few).dropna()
    if len(full) < 2 or full.shape[1] < 3:
        return pd.DataFrame(), [], full
    table = pd.DataFrame({"mean": full.mean(), "rank": statistics.ranks(full)})
    table = table.rename_axis("algorithm").reset_index().sort_values("rank")
    notes = [_friedman_text("measured", full)]
    if len(few):
        notes.append(f"on few sets, and left out: {', '.join(few)}")
    return table, notes, full


def strengths(measured: Measured, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return the average CMI of the arcs, a row for each set."""
    table = measured.values("average_cmi", algorithms)
    return table.dropna(axis=1, how="all").dropna(how="all")


def times(measured: Measured, algorithms: Sequence[str]) -> pd.DataFrame:
    """Return sums of the seconds over the sets that all algorithms have, and the largest peak."""
    wide = {field: measured.values(field, algorithms).dropna() for field in FIELDS_OF_TIME}
    table = pd.DataFrame(
        {
            "sets": wide["learn_seconds"].count(),
            "learn s": wide["learn_seconds"].sum(),
            "predict s": wide["predict_seconds"].sum(),
            "peak MiB": wide["peak_mib"].max(),
        }
    )
    return table.rename_axis("algorithm").reset_index()


# The report --------------------------------------------------------------------------------------


def make_report(
    store: Store,
    protocol: Protocol,
    algorithms: Mapping[str, Algorithm],
    options: Options,
    sets: Iterable[str] | None = None,
) -> list[Section]:
    """Return the tables of a protocol, of some sets or of all that have results."""
    ways = {}
    for drawn in (False, True):
        way = options._replace(bias_variance=drawn)
        ways[drawn] = read_measured(store, protocol, algorithms, way).of_sets(sets)
    sections = []
    for measure, field in protocol.measures.items():
        measured = ways[field in FROM_DRAWS]
        if not measured.frame.empty:
            sections += _of_measure(measured, protocol, list(algorithms), measure, field)
    crossed = ways[False]
    if not crossed.frame.empty:
        sections += _of_structure(crossed, list(algorithms))
    failed = pd.concat([found.failed for found in ways.values()])
    if not failed.empty:
        table = failed[["set", "algorithm", "message"]].reset_index(drop=True)
        sections.append(Section("failed", "Failed", table))
    return sections


def _of_measure(
    measured: Measured, protocol: Protocol, names: Sequence[str], measure: str, field: str
) -> list[Section]:
    values = measured.values(field, names)
    printed = read_printed(protocol.name, measure)
    columns = protocol.columns
    lines = beside(values, printed, columns)
    title = measure.replace("_", " ").replace("zero one", "zero-one")
    sections = []
    if not lines.empty:
        missing = [name for name in printed.values.index if name not in values.index]
        notes = [f"not measured: {', '.join(missing)}"] if missing else []
        notes += [f"not compared: {name} ({why})" for name, why in printed.notes.items()]
        rounds = measured.frame["rounds"]
        notes.append(f"rounds: {rounds.min()} to {rounds.max()}, more on the small sets")
        sizes = dict(zip(measured.frame["set"], measured.frame["rows"], strict=True))
        table = agreement(lines, printed.factors, sizes)
        sections.append(Section(f"{measure}_agreement", f"{title}: agreement", table, notes))
        if (printed.factors == 1.0).all():
            lines = lines.drop(columns="without_factor")
        sections.append(Section(f"{measure}_sets", f"{title}: every set", lines))
        fights = duels(measured, values, printed, columns, field, protocol.alternative)
        sections.append(Section(f"{measure}_duels", f"{title}: a against b", fights))
        table, notes, _ = rank_table(values, printed, columns, field)
        sections.append(Section(f"{measure}_ranks", f"{title}: average ranks", table, notes))
    if field == "zero_one":
        table, notes, _ = ranks_of_all(values)
        sections.append(Section("all_ranks", "zero-one loss: all that was measured", table, notes))
    return [section for section in sections if not section.table.empty]


def _of_structure(measured: Measured, names: Sequence[str]) -> list[Section]:
    sections = [Section("times", "Times of the cross-validation", times(measured, names))]
    table = strengths(measured, names)
    if not table.empty:
        rows = table.reset_index()
        notes = ["mean: " + ", ".join(f"{n} {v:.4f}" for n, v in table.dropna().mean().items())]
        for name in ("kdf", "kdb-s"):
            if {name, "kdb"} <= set(table):
                both = table[[name, "kdb"]].dropna()
                verdicts = statistics.plain_verdicts(-both[name], -both["kdb"])
                notes.append(f"{name} against kdb: {statistics.record(verdicts)}")
        title = "Average CMI of the arcs, in nats"
        sections.append(Section("average_cmi", title, rows, notes))
    return sections


# Output ------------------------------------------------------------------------------------------


def as_text(section: Section) -> str:
    """Return a section for a terminal."""
    table = section.table.to_string(index=False, float_format="{:.4f}".format, na_rep="")
    return "\n".join(["", section.title, table, *section.notes])


def as_markdown(section: Section) -> str:
    """Return a section in Markdown."""
    table = section.table
    head = ["| " + " | ".join(map(str, table.columns)) + " |", "|" + "---|" * table.shape[1]]
    body = [
        "| " + " | ".join(_shown(cell) for cell in line) + " |"
        for line in table.itertuples(index=False, name=None)
    ]
    notes = [f"- {note}" for note in section.notes]
    return "\n".join(
        [f"### {section.title}", "", *head, *body, "", *notes, *([""] if notes else [])]
    )


def _shown(cell: object) -> str:
    if isinstance(cell, float):
        return "" if np.isnan(cell) else f"{cell:.4f}"
    return str(cell)


def write_report(
    sections: Sequence[Section], protocol: Protocol, label: str, folder: Path
) -> list[Path]:
    """Write the sections as one Markdown file, and a CSV each."""
    folder.mkdir(parents=True, exist_ok=True)
    page = folder / f"{label}.md"
    parts = [f"## {label}", "", f"Paper: {protocol.says}", "", f"Here: {protocol.does}", ""]
    shown = [section for section in sections if not section.name.endswith("_sets")]
    page.write_text("\n".join([*parts, *map(as_markdown, shown)]), encoding="utf-8")
    written = [page]
    for section in sections:
        path = folder / f"{label}_{section.name}.csv"
        section.table.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")
        written.append(path)
    return written
