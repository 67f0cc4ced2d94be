"""CSV files with all that real ones have."""

from __future__ import annotations

import gzip
import math
from pathlib import Path

import pytest

from river_kdb.evaluate import EvaluationError, open_stream
from river_kdb.evaluate.csvfile import CSVFile


@pytest.fixture
def write(tmp_path: Path):
    def write_text(text: str, name: str = "data.csv", encoding: str = "utf-8") -> Path:
        path = tmp_path / name
        path.write_bytes(text.encode(encoding))
        return path

    return write_text


def test_types_missing_and_default_target(write):
    path = write("a,b,y\n1,x,yes\n,y,no\n2.5,,yes\n-1e3,7,no\n")
    assert list(CSVFile(path)) == [
        ({"a": 1.0, "b": "x"}, "yes"),
        ({"a": None, "b": "y"}, "no"),
        ({"a": 2.5, "b": None}, "yes"),
        ({"a": -1000.0, "b": "7"}, "no"),
    ]


def test_labels_are_text_even_if_digits(write):
    assert [y for _, y in CSVFile(write("a,y\n1,0\n2,1\n"))] == ["0", "1"]


def test_target_by_name_and_nominal(write):
    file = CSVFile(write("y,zip,a\nyes,01234,1\nno,98765,2\n"), target="y", nominal=["zip"])
    assert list(file) == [({"zip": "01234", "a": 1.0}, "yes"), ({"zip": "98765", "a": 2.0}, "no")]


def test_quotes_separators_and_line_breaks_inside_cells(write):
    path = write('"the a","b ""q""",y\n"x, y",1,"yes\nand no"\n" padded ",2,no\n')
    assert list(CSVFile(path)) == [
        ({"the a": "x, y", 'b "q"': 1.0}, "yes\nand no"),
        ({"the a": "padded", 'b "q"': 2.0}, "no"),
    ]


@pytest.mark.parametrize("separator", [";", "\t", ","])
def test_separator_is_found(write, separator):
    text = separator.join(["a", "b", "y"]) + "\n" + separator.join(["1", "x", "n"]) + "\n"
    assert list(CSVFile(write(text))) == [({"a": 1.0, "b": "x"}, "n")]


def test_blanks_after_commas_windows_line_ends_bom_and_blank_lines(write):
    path = write("\ufeffa, b, y\r\n\r\n1, x, yes\r\n   \r\n2, z, no\r\n\r\n")
    assert list(CSVFile(path)) == [({"a": 1.0, "b": "x"}, "yes"), ({"a": 2.0, "b": "z"}, "no")]


def test_gzip(tmp_path):
    path = tmp_path / "data.csv.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write("a,y\n1,ü\n")
    assert list(CSVFile(path)) == [({"a": 1.0}, "ü")]


def test_a_column_that_turns_textual_after_the_first_look(write):
    rows = [f"{i},x" for i in range(1000)] + ["unknown,y", "12,x"]
    events = list(CSVFile(write("a,y\n" + "\n".join(rows) + "\n")))
    assert len(events) == 1002
    assert [x["a"] for x, _ in events[-3:]] == [999.0, "unknown", 12.0]


def test_a_column_with_text_within_the_first_look_is_text(write):
    rows = [f"{i},x" for i in range(999)] + ["unknown,y", "12,x"]
    assert list(CSVFile(write("a,y\n" + "\n".join(rows))))[-1] == ({"a": "12"}, "x")


def test_words_for_missing(write):
    file = CSVFile(write("a,b,y\n1,?,p\nNA,x,q\n"), missing=["?", "NA"])
    assert list(file) == [({"a": 1.0, "b": None}, "p"), ({"a": None, "b": "x"}, "q")]


def test_nan_in_a_numeric_column_is_missing_and_infinity_is_a_number(write):
    events = list(CSVFile(write("a,y\n1,p\nnan,q\n-inf,p\n")))
    assert [x["a"] for x, _ in events] == [1.0, None, -math.inf]


def test_underscores_make_no_number(write):
    assert next(iter(CSVFile(write("a,y\n1_000,p\n"))))[0] == {"a": "1_000"}


def test_iterates_anew(write):
    file = CSVFile(write("a,y\n1,p\n2,q\n"))
    assert list(file) == list(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a,a,y\n1,2,3\n", "two columns named 'a'"),
        ("y\n1\n", "one column only"),
        ("a,y\n1,p\n2\n", "line 3: 1 cells where the header has 2"),
        ("a,y\n1,p\n2,q,r\n", "line 3: 3 cells"),
        ("a,y\n1,p\n2,\n", "line 3: no value for 'y'"),
        ('a,y\n"1\n2",p\n2,\n', "line 4: no value for 'y'"),
    ],
)
def test_what_cannot_be_read_names_the_line(write, text, message):
    path = write(text)
    with pytest.raises(EvaluationError, match=message):
        list(CSVFile(path))


def test_a_header_without_names_is_given_some(write):
    assert list(CSVFile(write(",b,y\n0,1,p\n"))) == [({"column1": 0.0, "b": 1.0}, "p")]


def test_header_without_rows(write):
    with pytest.raises(EvaluationError, match="has no events"):
        open_stream(str(write("a,y\n")))


def test_not_utf8_and_broken_gzip(write, tmp_path):
    with pytest.raises(EvaluationError, match="not UTF-8"):
        list(CSVFile(write("a,y\n1,é\n", encoding="latin-1")))
    path = tmp_path / "broken.csv.gz"
    path.write_bytes(gzip.compress(b"a,y\n" + b"1,p\n" * 10_000)[:40])
    with pytest.raises(EvaluationError, match=r"cannot read .*broken\.csv\.gz"):
        list(CSVFile(path))
    path.write_bytes(b"a,y\n1,p\n")
    with pytest.raises(EvaluationError, match="cannot read"):
        list(CSVFile(path))
