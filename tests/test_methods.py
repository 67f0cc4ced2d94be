"""The table of methods: every line is a model that can be made, and the command line knows it."""

from __future__ import annotations

import inspect

import pytest

import river_kdb
from river_kdb.evaluate import make_models, open_stream
from river_kdb.methods import methods

ASKED_FOR = (
    "mixture nb kdb tan aode kdf mmkdb mskdb mkdb skdb bkdb csb tl ukdb tan-e atan watan "
    "aode-sr waode"
)


@pytest.mark.parametrize("name", methods())
def test_every_method_is_a_model(name):
    method = methods()[name]
    klass = getattr(river_kdb, method.class_name)
    model = klass(**method.parameters)
    for parameter, value in method.parameters.items():
        assert getattr(model, parameter) == value
    assert method.paper_name
    assert method.paper
    assert method.equation


def test_no_two_methods_are_the_same():
    """Two settings may differ by what is the default of the class only where the table says so."""
    made = {}
    for method in methods().values():
        klass = getattr(river_kdb, method.class_name)
        defaults = {
            name: parameter.default
            for name, parameter in inspect.signature(klass).parameters.items()
        }
        key = (method.class_name, tuple(sorted({**defaults, **method.parameters}.items(), key=str)))
        assert key not in made, (method.name, made.get(key))
        made[key] = method.name


def test_every_public_class_has_a_method():
    public = {name for name in river_kdb.__all__ if name.endswith("Classifier")}
    assert {method.class_name for method in methods().values()} == public


@pytest.mark.parametrize("name", ASKED_FOR.split())
def test_the_command_line_knows_it(name):
    stream = open_stream("river:Phishing", limit=5)
    (spec,) = make_models([name], stream)
    method = methods()[name]
    assert type(spec.make()).__name__ == method.class_name
    assert spec.own
