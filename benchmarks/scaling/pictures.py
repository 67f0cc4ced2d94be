"""Pictures of what an event costs: a picture for each factor, both axes logarithmic."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.scaling.cases import BASE
from benchmarks.scaling.measure import MIB
from benchmarks.scaling.report import Record, measured_series

COLORS = {"KDB": "tab:orange", "TL": "tab:blue", "UKDB": "tab:red"}
WIDTHS = {"KDB": 3.0, "TL": 1.8, "UKDB": 1.0}
"""Lines that lie upon each other are all seen."""
STYLES = {"dense": ("-", "o"), "bitset": ("--", "s")}
PANELS = {
    "predict": ("predict_proba_one, median", "µs"),
    "learn": ("learn_one, median", "µs"),
    "learn_mean": ("learn_one, mean with relearning", "µs"),
    "tables": ("arrays of the counts", "MiB"),
}
NAMES = {
    "n": "features",
    "slots": "values of a feature",
    "classes": "classes",
    "k": "parents (k)",
    "window": "events in the window",
}
DPI = 90


def draw_all(records: Sequence[Record], folder: Path) -> list[Path]:
    """Draw a picture for each factor and return where they are.

    Parameters
    ----------
    records
        What was measured.
    folder
        Where to put the PNGs.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for factor in dict.fromkeys(record.factor for record in records):
        written.append(folder / f"{factor}.png")
        draw(factor, [record for record in records if record.factor == factor], written[-1])
    return written


def draw(factor: str, records: Sequence[Record], path: Path) -> None:
    """Draw times and memory over a factor, a panel for each cost.

    Parameters
    ----------
    factor
        Its name.
    records
        Its records.
    path
        The PNG to write.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, grid = plt.subplots(2, 2, figsize=(10, 7.6))
    handles: dict[str, Any] = {}
    for axes, (cost, (title, unit)) in zip(grid.flat, PANELS.items(), strict=True):
        for (_, model, store), members in measured_series(records).items():
            line, marker = STYLES[store]
            unit_size = MIB if unit == "MiB" else 1.0
            handles[f"{model}, {store}"] = axes.plot(
                [record.size for record in members],
                [getattr(record.cost, cost) / unit_size for record in members],
                color=COLORS[model],
                ls=line,
                marker=marker,
                ms=4,
                lw=WIDTHS[model],
            )[0]
        _scale(axes, sorted({record.size for record in records}))
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(NAMES[factor], fontsize=9)
        axes.set_ylabel(unit, fontsize=9)
    rest = ", ".join(
        f"{value:,} {NAMES[name]}" for name, value in BASE._asdict().items() if name != factor
    )
    figure.suptitle(f"CPU time and memory over {NAMES[factor]} ({rest})", fontsize=10)
    figure.legend(handles.values(), handles, loc="lower center", ncol=6, fontsize=9, frameon=False)
    figure.tight_layout(rect=(0, 0.04, 1, 1))
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def _scale(axes: Any, sizes: Sequence[int]) -> None:
    """Make both axes logarithmic, that of the sizes with a place for 0 where there is one."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=15))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.tick_params(axis="y", labelsize=8)
    if sizes[0] == 0:
        axes.set_xscale("symlog", linthresh=1)
    else:
        axes.set_xscale("log")
    axes.set_xticks(sizes, [f"{size:,}" for size in sizes], fontsize=8)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.grid(which="major", color="0.9", lw=0.6)
