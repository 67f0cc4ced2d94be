"""ARFF files as streams of events.

SciPy's reader of ARFF headers, which River's ``stream.iter_arff`` builds on, loses quotes inside
lists of values and does not know that the data rows may be quoted, commented or sparse; this one
follows Weka's description of the format [1]_.

References
----------
.. [1] `The ARFF format <https://waikato.github.io/weka-wiki/formats_and_processing/arff_stable/>`_

"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from river_kdb.evaluate.errors import EvaluationError, did_you_mean
from river_kdb.evaluate.textfile import open_text, typed_cell

__all__ = ["ARFFFile", "Attribute"]

_QUOTED = r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
# A cell and the separator after it, with commas or (a row without any) with tabs
_CELL = {s: re.compile(rf"\s*({_QUOTED}|[^{s}]*?)\s*({s}|$)") for s in (",", "\t")}
# A sparse row, without the weight that may follow
_SPARSE = re.compile(rf"\{{((?:{_QUOTED}|[^}}])*?)\}}")
# An entry of a sparse row: the index of the attribute, and its value
_ENTRY = re.compile(rf"\s*(\d+)\s+({_QUOTED}|[^,]*?)\s*(,|$)")
_NAME = re.compile(rf"\s*({_QUOTED}|[^\s{{]+)\s*(.*)", re.DOTALL)
# A comment: % at the start of the line, or after a blank or a comma outside of quotes
_COMMENT = re.compile(rf"({_QUOTED})|(?:^|(?<=[\s,}}]))%.*")
_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMERIC = {"numeric", "real", "integer"}


@dataclass(frozen=True)
class Attribute:
    """An attribute as the header declares it.

    `absent` is the value that an attribute left out of a sparse row has: 0, or the first of the
    declared values; None where the format gives it none.

    """

    name: str
    numeric: bool
    absent: str | None


class ARFFFile:
    """An ARFF file; every iteration reads it from the start.

    Numeric attributes (``numeric``, ``real``, ``integer``) give numbers, nominal, string and date
    ones text, even where that is digits. An unquoted ``?`` is a missing value. Sparse rows are
    filled up, weights of instances at the ends of rows are read over. Labels are always text.

    Parameters
    ----------
    path
        The file, plain or gzipped.
    target
        The name of the attribute with the labels; the last attribute by default.
    nominal
        Numeric attributes to keep as text.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from river_kdb.evaluate.arff import ARFFFile
    >>> text = '''% what is it?
    ... @RELATION fruit
    ... @ATTRIBUTE 'its colour' {red, 'light green'}
    ... @ATTRIBUTE weight REAL
    ... @ATTRIBUTE fruit {apple, pear}
    ... @DATA
    ... red, 150, apple
    ... 'light green', ?, pear
    ... {1 120.5}
    ... '''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "fruit.arff"
    ...     _ = path.write_text(text)
    ...     for x, y in ARFFFile(path):
    ...         print(x, y)
    {'its colour': 'red', 'weight': 150.0} apple
    {'its colour': 'light green', 'weight': None} pear
    {'its colour': 'red', 'weight': 120.5} apple

    """

    def __init__(
        self, path: Path, target: str | None = None, nominal: Collection[str] = ()
    ) -> None:
        self.path = path
        self.nominal = frozenset(nominal)
        with open_text(path) as file:
            self.attributes = self._read_header(enumerate(file, start=1))
        names = [attribute.name for attribute in self.attributes]
        self.target = names[-1] if target is None else target
        if self.target not in names:
            hint = did_you_mean(self.target, names)
            raise EvaluationError(f"{path.name} has no attribute {self.target!r} (--target){hint}")
        if len(names) < 2:
            raise EvaluationError(
                f"{path.name} has one attribute only ({self.target!r}): nothing to learn from"
            )

    @property
    def features(self) -> list[str]:
        """The names of the attributes other than the target."""
        return [a.name for a in self.attributes if a.name != self.target]

    def __iter__(self) -> Iterator[tuple[dict[str, float | str | None], str]]:
        names = [attribute.name for attribute in self.attributes]
        numeric = [a.numeric and a.name not in self.nominal for a in self.attributes]
        target = names.index(self.target)
        for line, cells in self._cells():
            label = cells[target]
            if label is None:
                raise EvaluationError(
                    f"{self.path.name}, line {line}: no value for {self.target!r}"
                )
            x = {
                name: None if cell is None else typed_cell(cell, is_numeric)
                for name, cell, is_numeric in zip(names, cells, numeric, strict=True)
            }
            del x[self.target]
            yield x, label

    def _read_header(self, lines: Iterator[tuple[int, str]]) -> list[Attribute]:
        """Read the attributes, leaving `lines` at the first one after ``@data``."""
        attributes: list[Attribute] = []
        for number, raw in lines:
            line = _without_comment(raw)
            keyword, rest = [*re.split(r"\s+", line, maxsplit=1), ""][:2]
            keyword = keyword.lower()
            where = f"{self.path.name}, line {number}"
            if keyword == "@data":
                if not attributes:
                    raise EvaluationError(f"{where}: @data before any @attribute")
                return attributes
            if keyword == "@attribute":
                attribute = _parse_attribute(rest, where)
                if any(attribute.name == other.name for other in attributes):
                    raise EvaluationError(f"{where}: a second attribute {attribute.name!r}")
                attributes.append(attribute)
            elif line and keyword != "@relation":
                raise EvaluationError(f"{where}: not a line of an ARFF header: {line[:40]!r}")
        raise EvaluationError(f"{self.path.name} has no @data line")

    def _cells(self) -> Iterator[tuple[int, list[str | None]]]:
        """Yield the number of the line and the cells of every row; None is a missing value."""
        with open_text(self.path) as file:
            lines = enumerate(file, start=1)
            width = len(self._read_header(lines))
            for number, raw in lines:
                line = _without_comment(raw)
                if not line:
                    continue
                if line.startswith("{"):
                    cells = self._sparse_row(line, number)
                else:
                    cells = _split_row(line)
                    if len(cells) == width + 1 and re.fullmatch(r"\{.*\}", cells[-1] or ""):
                        cells.pop()
                if len(cells) != width:
                    raise EvaluationError(
                        f"{self.path.name}, line {number}: "
                        f"{len(cells)} cells where the header has {width} attributes"
                    )
                yield number, cells

    def _sparse_row(self, line: str, number: int) -> list[str | None]:
        cells = [attribute.absent for attribute in self.attributes]
        row = _SPARSE.match(line)
        body, position = row[1] if row else "", 0
        bad = EvaluationError(f"{self.path.name}, line {number}: not a sparse row: {line[:40]!r}")
        if row is None:
            raise bad
        while body[position:].strip():
            entry = _ENTRY.match(body, position)
            if entry is None or int(entry[1]) >= len(cells):
                raise bad
            cells[int(entry[1])] = _unquote(entry[2])
            position = entry.end()
        return cells


def _parse_attribute(text: str, where: str) -> Attribute:
    match = _NAME.match(text)
    if match is None or not match[2]:
        raise EvaluationError(f"{where}: an @attribute needs a name and a type")
    name, kind = _unquote(match[1]) or match[1], match[2].strip()
    if kind.startswith("{"):
        if not kind.endswith("}"):
            raise EvaluationError(f"{where}: the values of {name!r} have no closing brace")
        values = _split_row(kind[1:-1])
        return Attribute(name, numeric=False, absent=values[0])
    word = kind.split()[0].lower()
    if word in _NUMERIC:
        return Attribute(name, numeric=True, absent="0")
    if word in {"string", "date"}:
        return Attribute(name, numeric=False, absent=None)
    raise EvaluationError(f"{where}: attribute {name!r} is of the unknown type {word!r}")


def _without_comment(line: str) -> str:
    if "%" in line:
        line = _COMMENT.sub(lambda match: match[1] or "", line)
    return line.strip()


def _split_row(line: str) -> list[str | None]:
    separator = "," if "," in line or "\t" not in line else "\t"
    if "'" not in line and '"' not in line:
        return [_unquote(cell.strip()) for cell in line.split(separator)]
    cells: list[str | None] = []
    pattern, position = _CELL[separator], 0
    while True:
        match = pattern.match(line, position)
        if match is None:  # text after a closing quote: take the cell as it stands
            end = line.find(separator, position)
            end = len(line) if end < 0 else end
            cells.append(line[position:end].strip())
            more = end < len(line)
            position = end + 1
        else:
            cells.append(_unquote(match[1]))
            more = bool(match[2])
            position = match.end()
        if not more:
            return cells


def _unquote(cell: str) -> str | None:
    """Return the text of a cell; None for a missing value (nothing, or ? without quotes)."""
    if cell in {"", "?"}:
        return None
    if len(cell) >= 2 and cell[0] == cell[-1] and cell[0] in "'\"":
        cell = cell[1:-1]
        if "\\" in cell:
            cell = _ESCAPE.sub(_unescape, cell)
    return cell


def _unescape(match: re.Match[str]) -> str:
    code = match[1]
    return chr(int(code[1:], 16)) if len(code) > 1 else _ESCAPED.get(code, code)
