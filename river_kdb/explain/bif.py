"""A network as a BIF file, the format that programs for Bayesian networks exchange."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from river_kdb.explain.cpt import Network, Table, network_tables
from river_kdb.explain.values import slot_names
from river_kdb.learner import Learner

__all__ = ["BifNames", "bif_evidence", "bif_names", "bif_text"]

_WORDS = {"network", "variable", "probability", "property", "type", "discrete", "default", "table"}


class BifNames(NamedTuple):
    """What variables and states are called in a file.

    Attributes
    ----------
    class_variable, labels
        The class, and its states in the order of the labels.
    variables
        Name of every feature.
    states
        Name of every slot of every feature.
    """

    class_variable: str
    labels: list[str]
    variables: list[str]
    states: list[list[str]]


def safe_names(texts: Sequence[str], prefix: str) -> list[str]:
    """Return names of letters, digits and underscores, no two of which are the same.

    Parameters
    ----------
    texts
        What to name.
    prefix
        Begins the names that would not begin with a letter.

    Examples
    --------
    >>> from river_kdb.explain.bif import safe_names
    >>> safe_names(["(-inf, 0.5]", "(0.5, inf)", "'a b'", "'a-b'", "table"], "v")
    ['v_minus_inf_0p5', 'v_0p5_inf', 'a_b', 'a_b_2', 'v_table']
    """
    names: list[str] = []
    taken: set[str] = set()
    for text in texts:
        plain = re.sub(r"(?<=\d)\.(?=\d)", "p", re.sub(r"(?<!\w)-(?=\d|inf)", "minus_", text))
        name = re.sub(r"[^A-Za-z0-9]+", "_", plain).strip("_")
        if not re.match("[A-Za-z]", name) or name.lower() in _WORDS or name.startswith("minus_"):
            name = f"{prefix}_{name}" if name else prefix
        numbered = (f"{name}_{n}" for n in itertools.count(2))
        while name in taken:
            name = next(numbered)
        taken.add(name)
        names.append(name)
    return names


def bif_names(learner: Learner) -> BifNames:
    """Return what variables and states are called.

    Parameters
    ----------
    learner
        What the model has learned.
    """
    names = learner.encoder.names
    variable, *variables = safe_names(["class", *map(str, names)], "x")
    states = [safe_names(slot_names(learner, i), "v") for i in range(len(names))]
    return BifNames(variable, safe_names(list(map(str, learner.labels)), "c"), variables, states)


def bif_text(learner: Learner, title: str, t: int) -> str:
    """Return a network as the text of a BIF file.

    Parameters
    ----------
    learner
        What the model has learned.
    title
        Name of the network.
    t
        Number of the member network.

    Raises
    ------
    ValueError
        If fewer than two classes were learned, or a table has too many entries.
    """
    if len(learner.labels) < 2:
        known = ", ".join(map(repr, learner.labels)) or "none"
        raise ValueError(f"to_bif: a network needs two classes, learned so far: {known}")
    network, names = network_tables(learner, t), bif_names(learner)
    lines = [f"network {title} {{", "}", f"// {names.class_variable}: the class"]
    lines += _variable(names.class_variable, names.labels, list(map(repr, learner.labels)))
    for table in network.tables:
        i = table.feature
        slots, of_slots = network.states[i].tolist(), slot_names(learner, i)
        lines.append(f"// {names.variables[i]}: the feature {learner.encoder.names[i]!r}")
        lines += _variable(
            names.variables[i], [names.states[i][s] for s in slots], [of_slots[s] for s in slots]
        )
    lines += [f"probability ( {names.class_variable} ) {{", f"  table {_row(network.prior)};", "}"]
    for table in network.tables:
        lines += _probabilities(table, network, names)
    return "\n".join([*lines, ""])


def bif_evidence(learner: Learner, t: int, codes: np.ndarray) -> dict[str, str]:
    """Return what is known of an event in the names of a file.

    Parameters
    ----------
    learner
        What the model has learned.
    t
        Number of the member network.
    codes
        int array of shape (n_features,): codes of the event.
    """
    network, names = network_tables(learner, t), bif_names(learner)
    found = [table.feature for table in network.tables]
    return {
        names.variables[i]: names.states[i][codes[i]]
        for i in found
        if codes[i] in network.states[i]
    }


def _variable(name: str, states: list[str], meanings: list[str]) -> Iterator[str]:
    yield from (
        f"//   {state}: {meaning}"
        for state, meaning in zip(states, meanings, strict=True)
        if meaning != state
    )
    yield f"variable {name} {{"
    yield f"  type discrete [ {len(states)} ] {{ {', '.join(states)} }};"
    yield "}"


def _probabilities(table: Table, network: Network, names: BifNames) -> Iterator[str]:
    given = ", ".join([names.class_variable, *(names.variables[j] for j in table.parents)])
    yield f"probability ( {names.variables[table.feature]} | {given} ) {{"
    contexts = [[names.states[j][s] for s in network.states[j]] for j in table.parents]
    for c, label in enumerate(names.labels):
        rows = table.probabilities[..., c].reshape(-1, table.probabilities.shape[-2])
        for context, row in zip(itertools.product(*contexts), rows, strict=True):
            yield f"  ({', '.join([label, *context])}) {_row(row)};"
    yield "}"


def _row(probabilities: np.ndarray) -> str:
    return ", ".join(map(repr, probabilities.tolist()))
