"""The report as one page of HTML that needs nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from river_kdb.atomic import write_atomically
from river_kdb.evaluate.colours import twins
from river_kdb.evaluate.curves import LineStyle, drifts_of, line_style
from river_kdb.evaluate.figures import Picture, curve_picture
from river_kdb.evaluate.origin import Origin
from river_kdb.evaluate.result import ModelResult
from river_kdb.evaluate.sections import ModelSection, model_section
from river_kdb.evaluate.svg import colour_variable
from river_kdb.evaluate.wording import (
    best_value,
    format_metric,
    notes,
    short_number,
    size_text,
    state_word,
)

if TYPE_CHECKING:
    from markupsafe import Markup

__all__ = ["page", "write_page"]


@dataclass(frozen=True)
class Cell:
    """A metric of a model in the table of results.

    `length` is that of its bar, from 0 to 1, None where the metric has no such scale.

    """

    text: str
    best: bool
    length: float | None


@dataclass(frozen=True)
class Row:
    """A model in the table of results; `line` is None where it has no learning curve."""

    section: ModelSection
    line: LineStyle | None
    cells: list[Cell]


def write_page(
    path: Path, stream_name: str, results: Sequence[ModelResult], origin: Origin | None = None
) -> None:
    """Write the page, at once or not at all.

    Parameters
    ----------
    path
        The file.
    stream_name
        What to call the stream.
    results
        What became of the models.
    origin
        What has to be known to run the evaluation again.
    """
    write_atomically(path, [page(stream_name, results, origin).encode()])


def page(stream_name: str, results: Sequence[ModelResult], origin: Origin | None = None) -> str:
    """Return the page as text; the same results give the same text.

    Parameters
    ----------
    stream_name
        What to call the stream.
    results
        What became of the models.
    origin
        What has to be known to run the evaluation again.

    Raises
    ------
    ImportError
        If jinja2 or matplotlib is not installed.

    Examples
    --------
    >>> from river_kdb.evaluate import Evaluation, open_stream
    >>> from river_kdb.evaluate.html import page
    >>> stream = open_stream("river:Phishing", limit=50)
    >>> text = page(stream.name, Evaluation(stream, ["river:GaussianNB"]).run())
    >>> text[:15], "http://" in text
    ('<!doctype html>', False)

    """
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError as error:
        raise ImportError('a page needs jinja2: pip install "river-kdb[plot]"') from error
    environment = Environment(
        loader=PackageLoader("river_kdb.evaluate", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        breakable=_breakable, short=short_number, size=size_text, variable=colour_variable
    )
    return environment.get_template("report.html.jinja").render(
        _context(stream_name, results, origin or Origin())
    )


def _context(stream_name: str, results: Sequence[ModelResult], origin: Origin) -> dict[str, Any]:
    """Return everything that the template shows."""
    shown = [result for result in results if result.rows]
    metrics = list(dict.fromkeys(name for result in results for name in result.metrics))
    curves = [
        (name, curve_picture(shown, position, name, stream_name, f"c{position}"))
        for position, name in enumerate(metrics)
        if shown
    ]
    rows = _ranked([_row(result, i, shown, results) for i, result in enumerate(results)], metrics)
    pictures = [picture for _, picture in curves]
    for row in rows:
        pictures += [p for p in (row.section.reliability, row.section.structure) if p is not None]
    lines = {row.line.colour.lower() for row in rows if row.line is not None}
    finished = [row for row in rows if row.section.result.state == "finished"]
    return {
        "stream": stream_name,
        "metrics": metrics,
        "rows": rows,
        "winners": [row for row in finished if row.cells and row.cells[0].best],
        "n_finished": len(finished),
        "n_events": max((result.rows for result in results), default=0),
        "curves": curves,
        "any_drifts": bool(drifts_of(shown)),
        "notes": notes(results),
        "colours": _colours(pictures, lines),
        "origin": origin,
        "state_word": state_word,
    }


def _row(
    result: ModelResult, i: int, shown: Sequence[ModelResult], results: Sequence[ModelResult]
) -> Row:
    cells = []
    for name, value in result.values.items():
        bar = value if "%" in result.metrics[name]._fmt and 0.0 <= value <= 1.0 else None
        best = result.state == "finished" and value == best_value(results, name)
        cells.append(Cell(format_metric(result, name), best, bar))
    line = next((line_style(at) for at, other in enumerate(shown) if other is result), None)
    return Row(model_section(result, f"m{i}"), line, cells)


def _ranked(rows: list[Row], metrics: Sequence[str]) -> list[Row]:
    """Put the best by the first metric first, models that did not finish last."""

    def rank(row: Row) -> tuple[bool, float]:
        result = row.section.result
        value = result.values[metrics[0]]
        if value != value:
            return True, float("inf")
        bigger = result.metrics[metrics[0]].bigger_is_better
        return result.state != "finished", -value if bigger else value

    return sorted(rows, key=rank)


def _colours(pictures: Sequence[Picture], lines: set[str]) -> list[tuple[str, str, str]]:
    """Return the variables of the colours of the pictures: name, on light ground, on dark."""
    found = lines.union(*(picture.colours for picture in pictures))
    return [(colour_variable(colour), *twins(colour)) for colour in sorted(found)]


def _breakable(name: str) -> Markup:
    """Return a name as HTML that may break at its signs and capitals, or where it has neither."""
    from markupsafe import Markup

    pieces = re.split(r"(?<=[-:=,_ ./])|(?<=[a-z])(?=[A-Z])", name)
    return Markup("<wbr>").join(
        piece[i : i + 14] for piece in pieces for i in range(0, len(piece), 14)
    )
