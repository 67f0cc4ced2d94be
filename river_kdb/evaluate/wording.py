"""Results as text, for the table in the terminal and for the page."""

from __future__ import annotations

import math
from collections.abc import Sequence

from river_kdb.evaluate.result import ModelResult

__all__ = ["best_value", "format_metric", "notes", "short_number", "size_text", "state_word"]


def format_metric(result: ModelResult, name: str) -> str:
    """Return a metric as text: in percent where River shows it so, else with four decimals."""
    value = result.values[name]
    if math.isnan(value):
        return "–"
    return f"{value:.2%}" if "%" in result.metrics[name]._fmt else f"{value:.4f}"


def best_value(results: Sequence[ModelResult], name: str) -> float:
    """Return the best value of a metric among the models that have finished, NaN without any."""
    values = [r.values[name] for r in results if r.state == "finished"]
    values = [value for value in values if not math.isnan(value)]
    if not values:
        return math.nan
    bigger = results[0].metrics[name].bigger_is_better
    return max(values) if bigger else min(values)


def state_word(result: ModelResult) -> str:
    """Return finished, failed or interrupted."""
    return "interrupted" if result.state == "running" else result.state


def notes(results: Sequence[ModelResult]) -> list[str]:
    """Return what is to be known of the results beside their numbers, a sentence each."""
    said: list[str] = []
    for result in results:
        if result.note:
            said.append(f"{result.name} runs behind {result.note}.")
        said += [f"{result.name} has no {name}: it keeps its own." for name in result.lacks]
        if result.error:
            said.append(f"{result.name} failed {result.error}")
    drifts = [f"{r.name} {r.drifts:,}" for r in results if r.drifts is not None]
    if drifts:
        said.append(f"Drifts detected: {', '.join(drifts)}.")
    return said


def short_number(value: float) -> str:
    """Return a number with two digits or more, a dash for NaN."""
    if math.isnan(value):
        return "–"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2f}"


def size_text(n_bytes: float) -> str:
    """Return a number of bytes in the unit that fits."""
    units = ["B", "KiB", "MiB", "GiB"]
    while n_bytes >= 1024 and len(units) > 1:
        n_bytes /= 1024
        del units[0]
    digits = 0 if n_bytes >= 100 or units[0] == "B" else 1
    return f"{n_bytes:,.{digits}f} {units[0]}"
