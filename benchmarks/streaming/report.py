"""Tables of what was measured, all models held against each other at equal rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from benchmarks.reproduction import statistics
from benchmarks.reproduction.report import ENOUGH_SETS, Section, as_markdown, ranks_of_all
from benchmarks.streaming.models import DUMMIES, MIXTURE
from benchmarks.streaming.synthetic import PLAIN

GROUPS = {
    "real": "real, in their order",
    "shuffled": "categorical sets, shuffled",
    "plain": "synthetic",
    "abrupt": "synthetic, abrupt drift",
    "gradual": "synthetic, gradual drift",
}
MEASURES = {
    "accuracy": "accuracy",
    "log_loss": "log loss",
    "log_loss_clipped": "log loss, clipped at .001",
}
LARGE_IS_GOOD = ("accuracy",)
REFERENCE = "ARF"
PAST_DRIFT = 0.75
"""A stream with a drift in its middle is compared from this part of it on."""

COLUMNS = (
    "stream",
    "group",
    "model",
    "parameters",
    "version",
    "status",
    "rows_done",
    "rows_in_stream",
    "seconds",
    "accuracy",
    "kappa",
    "kappa_temporal",
    "macro_f1",
    "log_loss",
    "log_loss_clipped",
    "predict_us",
    "learn_us",
    "peak_memory",
    "message",
)
"""Of results.csv, before the versions."""


class Comparison(NamedTuple):
    """What the compared models reached on the streams that all of them were on.

    Attributes
    ----------
    values
        By measure: a row for each stream, a column for each model.
    rows
        By stream: the row at which they are compared, the last checkpoint that all have reached.
    group
        By stream: the group that it is of.
    own
        By model: whether it is one of ours.
    notes
        What was left out.
    """

    values: dict[str, pd.DataFrame]
    rows: pd.Series
    group: pd.Series
    own: pd.Series
    notes: list[str]

    def losses(self, measure: str, group: str | None = None) -> pd.DataFrame:
        """Return a measure so that small is good, on all streams or those of a group."""
        values = self.values[measure]
        if group is not None:
            values = values[self.group == group]
        return 1.0 - values if measure in LARGE_IS_GOOD else values


def read_records(records: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return a line for each stream and model: its last record, whatever its limit of time.

    Parameters
    ----------
    records
        Those of a store, the oldest first. Of those of a stream only the ones of most events count.
    """
    frame = pd.DataFrame(list(records))
    if frame.empty:
        return frame
    longest = frame.groupby("stream")["rows_in_stream"].transform("max")
    frame = frame[frame["rows_in_stream"] == longest]
    frame = frame.drop_duplicates(["stream", "model"], keep="last").reset_index(drop=True)
    synthetic = ~frame["family"].isin(list(GROUPS))
    return frame.assign(group=frame["family"].where(~synthetic, frame["drift"]))


def in_order(frame: pd.DataFrame, models: Sequence[str], streams: Sequence[str]) -> pd.DataFrame:
    """Return the lines with the models and then the streams in this order, others after them."""
    orders = {"model": models, "stream": streams}

    def places(column: pd.Series) -> pd.Series:
        order = {name: place for place, name in enumerate(orders[column.name])}
        return column.map(order).fillna(len(order))

    return frame.sort_values(list(orders), key=places, kind="stable")


def compare(frame: pd.DataFrame) -> Comparison:
    """Hold models against each other, on each stream at the last checkpoint that all have reached.

    Models that were tried on few of the streams are left out, then the streams that lack one of
    the others, and those with a drift that one has not left well behind.
    """
    fine = frame[frame["status"] == "ok"]
    fine = fine[fine["curve"].map(lambda curve: len(curve["rows"]) > 0)]
    counts = fine.groupby("model", sort=False)["stream"].count()
    kept = counts[counts >= ENOUGH_SETS * counts.max()].index
    reached = fine.assign(reached=fine["curve"].map(lambda curve: curve["rows"][-1]))
    reached = reached.pivot(index="stream", columns="model", values="reached")[list(kept)]
    notes = [f"on few streams, and left out: {', '.join(counts.index.difference(kept))}"]
    lacking = reached.index[reached.isna().any(axis=1)]
    notes.append(f"streams without all models, left out: {', '.join(lacking)}")
    rows = reached.dropna().min(axis=1).astype(int)
    of_stream = fine.groupby("stream")[["rows_in_stream", "drift"]].first().loc[rows.index]
    early = (of_stream["drift"] != PLAIN) & (rows < PAST_DRIFT * of_stream["rows_in_stream"])
    notes.append(f"the drift not behind all models, left out: {', '.join(rows.index[early])}")
    rows = rows[~early]
    lines = fine[fine["stream"].isin(rows.index) & fine["model"].isin(kept)]
    streams = lines["stream"].unique()
    values = {name: _at_rows(lines, rows, name).loc[streams, list(kept)] for name in MEASURES}
    return Comparison(
        values,
        rows.loc[streams],
        lines.groupby("stream")["group"].first().loc[streams],
        lines.groupby("model")["own"].first().astype(bool).loc[list(kept)],
        [note for note in notes if not note.endswith(": ")],
    )


def _at_rows(lines: pd.DataFrame, rows: pd.Series, measure: str) -> pd.DataFrame:
    found = [
        curve[measure][curve["rows"].index(rows[stream])]
        for stream, curve in zip(lines["stream"], lines["curve"], strict=True)
    ]
    return lines.assign(found=found).pivot(index="stream", columns="model", values="found")


# Tables ------------------------------------------------------------------------------------------


def rank_section(compared: Comparison, measure: str) -> Section:
    """Return the mean ranks, over all streams and over each group of them."""
    table, notes, _ = ranks_of_all(compared.losses(measure))
    if table.empty:
        return Section(f"ranks_{measure}", "", table)
    table = table.set_index("algorithm")[["rank"]].rename(columns={"rank": "all"})
    for group in GROUPS:
        part = compared.losses(measure, group)
        if len(part):
            table[f"{group} ({len(part)})"] = statistics.ranks(part)
    table = table.map("{:.2f}".format).rename_axis("model").reset_index()
    return Section(f"ranks_{measure}", f"Mean ranks: {MEASURES[measure]}", table, notes)


def duel_section(compared: Comparison, frame: pd.DataFrame, name: str = MIXTURE) -> Section:
    """Return wins, draws and losses of a model against each other one, and their times."""
    both = both_times(frame)
    if name not in compared.own.index:
        return Section("duels", "", pd.DataFrame())
    lines = []
    for other in compared.own.index.drop(name):
        line: dict[str, Any] = {"model": other}
        for measure, title in MEASURES.items():
            losses = compared.losses(measure)
            verdicts = statistics.plain_verdicts(losses[name], losses[other])
            line[f"{title}: W/D/L"] = str(statistics.record(verdicts))
        line["time, median of shares"] = (both[name] / both[other])[compared.rows.index].median()
        lines.append(line)
    notes = [against_all(compared, measure, name) for measure in MEASURES]
    if REFERENCE in both:
        share = (both[name] / both[REFERENCE])[compared.rows.index].median()
        notes.append(
            f"median over the streams of {name}'s time as a share of {REFERENCE}'s: {share:.4f}"
        )
    return Section("duels", f"{name} against each", pd.DataFrame(lines), notes)


def against_all(compared: Comparison, measure: str, name: str = MIXTURE) -> str:
    """Say on how many streams a model is better than every one of River's."""
    losses = compared.losses(measure)
    best = losses[compared.own.index[~compared.own]].min(axis=1)
    n_better = int((losses[name] < best).sum())
    return (
        f"{MEASURES[measure]} of {name} better than that of every River classifier: "
        f"{n_better} of {len(losses)} streams ({n_better / len(losses):.1%})"
    )


def both_times(frame: pd.DataFrame) -> pd.DataFrame:
    """Return µs an event, predict and learn: a row for each stream, a column for each model."""
    fine = frame[frame["status"] == "ok"]
    fine = fine.assign(both=fine["predict_us"] + fine["learn_us"])
    return fine.pivot(index="stream", columns="model", values="both")


def time_section(frame: pd.DataFrame) -> Section:
    """Return what the models cost, as medians over their streams."""
    fine = frame[frame["status"] == "ok"]
    fine = fine.assign(
        both=fine["predict_us"] + fine["learn_us"],
        mib=fine["peak_memory"] / 2**20,
        whole=fine["rows_done"] == fine["rows_in_stream"],
    )
    by = fine.groupby("model", sort=False)
    table = pd.DataFrame(
        {
            "streams": by["stream"].count(),
            "to their ends": by["whole"].sum(),
            "predict µs": by["predict_us"].median(),
            "learn µs": by["learn_us"].median(),
            "both µs": by["both"].median(),
            "peak MiB": by["mib"].median(),
            "largest peak MiB": by["mib"].max(),
        }
    )
    for name in table.columns[2:]:
        table[name] = table[name].map("{:.4g}".format)
    notes = ["CPU time an event over the rows that each reached, medians over the streams"]
    return Section("times", "Time and memory", table.rename_axis("model").reset_index(), notes)


def stream_sections(compared: Comparison, frame: pd.DataFrame, measure: str) -> list[Section]:
    """Return a measure of all streams, a section for each group; the best of a stream is bold."""
    lengths = frame.groupby("stream")["rows_in_stream"].first()
    sections = []
    for group, title in GROUPS.items():
        losses = compared.losses(measure, group)
        if losses.empty:
            continue
        values = compared.values[measure].loc[losses.index]
        best = losses.round(4).eq(losses.round(4).min(axis=1), axis=0)
        table = pd.DataFrame({"stream": losses.index})
        table["rows"] = [f"{compared.rows[name]:,} of {lengths[name]:,}" for name in losses.index]
        for model in values:
            shown = values[model].map("{:.4f}".format)
            table[model] = shown.where(~best[model], "**" + shown + "**").to_numpy()
        name = f"{measure}_{group}"
        sections.append(Section(name, f"{MEASURES[measure].capitalize()}: {title}", table))
    return sections


def make_report(frame: pd.DataFrame, compared: Comparison) -> list[Section]:
    """Return all tables."""
    sections = [
        *(rank_section(compared, measure) for measure in MEASURES),
        duel_section(compared, frame),
        time_section(frame),
        *stream_sections(compared, frame, "accuracy"),
        *stream_sections(compared, frame, "log_loss"),
    ]
    failed = frame.loc[frame["status"] != "ok", ["stream", "model", "message"]]
    sections.append(Section("failed", "Failed", failed))
    return [section for section in sections if not section.table.empty]


# Output ------------------------------------------------------------------------------------------


def results(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the lines of results.csv: all but the curves."""
    versions = pd.json_normalize(frame["versions"].tolist()).set_index(frame.index)
    return frame.reindex(columns=list(COLUMNS)).join(versions)


def introduction(frame: pd.DataFrame, compared: Comparison) -> list[str]:
    """Return what has to be known before the tables."""
    versions = pd.json_normalize(frame["versions"].tolist())
    limits = frame["seconds"].value_counts()
    often = f"{limits.index[0]:g} s of CPU time a stream"
    if len(limits) > 1:
        often += f" (up to {max(limits.index):g} s on some, see results.csv)"
    said = [f"{name} {', '.join(sorted(versions[name].dropna().unique()))}" for name in versions]
    synthetic = frame.loc[frame["drift"] != PLAIN, "rows_in_stream"]
    events = f"; synthetic streams of {synthetic.max():,} events" if len(synthetic) else ""
    return [
        "# Streams",
        "",
        f"Each event was predicted before it was learned. A model had {often}; on each stream the "
        "models are compared at the last checkpoint that all of them "
        f"reached (`rows`){events}. Dummies: {', '.join(DUMMIES)}. {'; '.join(said)}.",
        "",
        *(f"- {note}" for note in compared.notes),
        "",
    ]


def write_report(
    frame: pd.DataFrame,
    compared: Comparison,
    sections: Sequence[Section],
    folder: Path,
) -> list[Path]:
    """Write results.csv and report.md."""
    folder.mkdir(parents=True, exist_ok=True)
    table, page = folder / "results.csv", folder / "report.md"
    results(frame).to_csv(table, index=False, float_format="%.5g", lineterminator="\n")
    parts = [*introduction(frame, compared), *map(as_markdown, sections)]
    page.write_text("\n".join(parts), encoding="utf-8")
    return [table, page]


def windowed(curve: dict[str, list[float]], n_rows: int, points: int = 100, width: int = 5) -> Any:
    """Return rows and the accuracy of the events before each of them.

    Parameters
    ----------
    curve
        Of a record.
    n_rows
        Of the stream.
    points
        How many rows, at equal distances over the stream.
    width
        An accuracy is over this many distances.
    """
    rows = np.array(curve["rows"], dtype=float)
    hits = np.nan_to_num(np.array(curve["accuracy"], dtype=float)) * (rows - 1)
    at = np.arange(0, points + 1) * (n_rows / points)
    at = at[at <= rows[-1] + 0.5]
    found = np.interp(at, np.append(0, rows), np.append(0.0, hits))
    start = np.maximum(np.arange(1, len(at)) - width, 0)
    return at[1:], (found[1:] - found[start]) / (at[1:] - at[start])
