"""ARFF files with all that the format has."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from river_kdb.evaluate import EvaluationError, open_stream
from river_kdb.evaluate.arff import ARFFFile


@pytest.fixture
def arff(tmp_path: Path):
    def make(text: str, **options) -> ARFFFile:
        path = tmp_path / "data.arff"
        path.write_text(text, encoding="utf-8", newline="")
        return ARFFFile(path, **options)

    return make


HEADER = "@relation r\n@attribute a numeric\n@attribute b {x, y}\n@attribute c {p, q}\n@data\n"


def test_types_are_those_declared(arff):
    file = arff(
        "@relation r\n@attribute n1 numeric\n@attribute n2 REAL\n@attribute n3 Integer\n"
        "@attribute digits {1, 2}\n@attribute words string\n@attribute day date 'yyyy-MM-dd'\n"
        "@attribute class {0, 1}\n@data\n1,2.5,3,1,7,2020-01-01,0\n"
    )
    assert list(file) == [
        (
            {
                "n1": 1.0,
                "n2": 2.5,
                "n3": 3.0,
                "digits": "1",
                "words": "7",
                "day": "2020-01-01",
            },
            "0",
        )
    ]


def test_keywords_in_any_case_comments_and_blank_lines(arff):
    file = arff(
        "% a comment\r\n\r\n@RELATION 'my data' % another\r\n@Attribute A Numeric\r\n"
        "   @ATTRIBUTE\tclass\t{yes,no}  % the class\r\n% more\r\n\r\n@DATA % now\r\n"
        "1,yes\r\n% 2,no\r\n\r\n  3 , no  % last\r\n"
    )
    assert list(file) == [({"A": 1.0}, "yes"), ({"A": 3.0}, "no")]


def test_quoted_names_and_values(arff):
    file = arff(
        "@relation r\n@attribute 'the first' numeric\n"
        "@attribute \"it's\" {'a, b', \"c d\", 'e\\'s', '50%', plain}\n"
        "@attribute class{yes,'no way'}\n@data\n"
        "1,'a, b',yes\n2,\"c d\",'no way'\n3,'e\\'s',yes\n4,'50%',yes\n5,plain,'yes'\n"
    )
    assert [x["it's"] for x, _ in file] == ["a, b", "c d", "e's", "50%", "plain"]
    assert [x["the first"] for x, _ in file] == [1, 2, 3, 4, 5]
    assert [y for _, y in file] == ["yes", "no way", "yes", "yes", "yes"]


def test_missing_is_an_unquoted_question_mark(arff):
    assert [x for x, _ in arff(HEADER + "?, ?, p\n1, '?', q\n")] == [
        {"a": None, "b": None},
        {"a": 1.0, "b": "?"},
    ]


def test_sparse_rows(arff):
    file = arff(
        "@relation r\n@attribute a numeric\n@attribute b {x, 'y, z'}\n@attribute s string\n"
        "@attribute c {p, q}\n@data\n"
        "{0 1.5, 1 'y, z', 3 q}\n{}\n{ 2 'a}b' , 0 ? }\n{3 q}, {2}\n"
    )
    assert list(file) == [
        ({"a": 1.5, "b": "y, z", "s": None}, "q"),
        ({"a": 0.0, "b": "x", "s": None}, "p"),
        ({"a": None, "b": "x", "s": "a}b"}, "p"),
        ({"a": 0.0, "b": "x", "s": None}, "q"),
    ]


def test_tabs_and_weights_of_instances(arff):
    assert list(arff(HEADER + "1\tx\tp\n2,y,q,{0.5}\n")) == [
        ({"a": 1.0, "b": "x"}, "p"),
        ({"a": 2.0, "b": "y"}, "q"),
    ]


def test_a_backslash_escapes(arff):
    file = arff("@relation r\n@attribute s string\n@attribute c {p}\n@data\n'a\\tb\\u00e9\\\\',p\n")
    assert next(iter(file))[0] == {"s": "a\tbé\\"}


def test_target_and_nominal(arff):
    file = arff(HEADER + "1,x,p\n", target="b", nominal=["a"])
    assert list(file) == [({"a": "1", "c": "p"}, "x")]


def test_text_in_a_numeric_attribute_stays(arff):
    assert [x["a"] for x, _ in arff(HEADER + "1,x,p\nlow,x,p\n")] == [1.0, "low"]


def test_gzip_through_open_stream(tmp_path):
    path = tmp_path / "data.ARFF.gz"
    with gzip.open(path, "wt") as file:
        file.write(HEADER + "1,x,p\n")
    assert list(open_stream(str(path))) == [({"a": 1.0, "b": "x"}, "p")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no @data line"),
        ("a,b\n1,2\n", "line 1: not a line of an ARFF header"),
        ("@relation r\n@data\n1\n", "line 2: @data before any @attribute"),
        ("@attribute a\n@data\n", "line 1: an @attribute needs a name and a type"),
        ("@attribute a {x, y\n@data\n", "line 1: the values of 'a' have no closing brace"),
        ("@attribute a relational\n@data\n", "unknown type 'relational'"),
        ("@attribute a real\n@attribute a real\n@data\n", "line 2: a second attribute 'a'"),
        ("@attribute a real\n@data\n1\n", "one attribute only"),
        (HEADER + "1,x\n", "line 6: 2 cells where the header has 3"),
        (HEADER + "1,x,p\n1,x,?\n", "line 7: no value for 'c'"),
        (HEADER + "{3 x}\n", "line 6: not a sparse row"),
        (HEADER + "{0 1\n", "line 6: not a sparse row"),
        (HEADER + "{first 1}\n", "line 6: not a sparse row"),
    ],
)
def test_what_cannot_be_read_names_the_line(arff, text, message):
    with pytest.raises(EvaluationError, match=message):
        list(arff(text))


def test_unknown_target(arff):
    with pytest.raises(EvaluationError, match="no attribute 'clas'"):
        arff(HEADER, target="clas")
