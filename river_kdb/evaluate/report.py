"""A folder with what an evaluation found: a table, the learning curves, the structures."""

from __future__ import annotations

import csv
import importlib.util
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from river_kdb.evaluate.curves import draw_curves
from river_kdb.evaluate.errors import EvaluationError
from river_kdb.evaluate.html import write_page
from river_kdb.evaluate.origin import Origin
from river_kdb.evaluate.result import ModelResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["prepare_folder", "write_report", "write_results"]

_NEEDED = ("matplotlib", "jinja2")


def prepare_folder(folder: Path) -> None:
    """Make the folder, or say why there can be no report; to be called before a long run."""
    absent = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if absent:
        raise EvaluationError(
            f"a report needs {' and '.join(absent)}, not installed here: "
            'pip install "river-kdb[plot]"'
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise EvaluationError(f"cannot make the folder {folder}: {error.strerror}") from error


def write_report(
    folder: Path, stream_name: str, results: Sequence[ModelResult], origin: Origin | None = None
) -> list[Path]:
    """Write a report of several files.

    They are ``results.csv``, ``learning_curves.png``, for ours ``structure-MODEL.png``, and
    ``report.html``, a page with all of it and more that needs none of the others.

    Parameters
    ----------
    folder
        Where to; it has to be there.
    stream_name
        What to call the stream.
    results
        What became of the models.
    origin
        What has to be known to run the evaluation again; the page says it.

    Returns
    -------
    The paths of what was written.

    """
    written = [folder / "results.csv"]
    write_results(written[0], stream_name, results)
    if any(result.rows for result in results):
        written.append(folder / "learning_curves.png")
        draw_curves(results, stream_name).savefig(written[-1], dpi=150)
    for result in results:
        figure = _structure(result, stream_name)
        if figure is not None:
            safe = re.sub(r"[^\w=.+-]+", "-", result.name).strip("-.")
            written.append(folder / f"structure-{safe}.png")
            figure.savefig(written[-1], dpi=150)
    written.append(folder / "report.html")
    write_page(written[-1], stream_name, results, origin)
    return written


def write_results(path: Path, stream_name: str, results: Sequence[ModelResult]) -> None:
    """Write one row a model: what was asked, what came out, in plain numbers.

    The columns are stream, model, state (finished, failed, or interrupted), rows, the metrics,
    predict_us and learn_us (microseconds an event), peak_memory_bytes, drifts (how many were
    detected; empty without a detector), drift_events (the events after which) and error.

    """
    names = list(dict.fromkeys(name for result in results for name in result.metrics))
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        rest = ["predict_us", "learn_us", "peak_memory_bytes", "drifts", "drift_events", "error"]
        writer.writerow(["stream", "model", "state", "rows", *names, *rest])
        for result in results:
            state = "interrupted" if result.state == "running" else result.state
            numbers = [f"{result.values[name]:.6g}" for name in names]
            numbers += [f"{result.predict_us:.4g}", f"{result.learn_us:.4g}"]
            writer.writerow(
                [
                    stream_name,
                    result.name,
                    state,
                    result.rows,
                    *numbers,
                    result.peak_memory,
                    "" if result.drifts is None else result.drifts,
                    " ".join(map(str, result.drift_events)),
                    result.error,
                ]
            )


def _structure(result: ModelResult, stream_name: str) -> Figure | None:
    """Return the picture of a model's structure, None where it has none to show."""
    from river_kdb.plot.structure import draw_structure

    model = result.model
    if not result.rows or not hasattr(model, "structure_edges"):
        return None
    edges = [(str(parent), str(child)) for parent, child in model.structure_edges()]
    names = [str(name) for name in getattr(model, "feature_names", ())]
    if not names and not edges:
        return None
    return draw_structure(edges, names, title=f"{result.name} on {stream_name}")
