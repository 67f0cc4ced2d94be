"""Every public class passes every check that River runs on its own estimators."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from river import drift
from river.checks import yield_checks

from river_kdb import (
    AODEClassifier,
    BKDBClassifier,
    BNMixtureClassifier,
    CSBClassifier,
    KDBClassifier,
    KDFClassifier,
    SelectiveKDBClassifier,
    TANClassifier,
    UKDBClassifier,
)

# A stream that is always too long, too wide and too varied for the model.
TINY: dict[str, Any] = {
    "window_size": 20,
    "grace_period": 5,
    "relearn_period": 10,
    "max_categories": 3,
    "n_bins": 3,
    "max_size": 1,
}

CASES: dict[str, tuple[type, dict[str, Any]]] = {
    "kdb": (KDBClassifier, {}),
    "kdb-0": (KDBClassifier, {"k": 0}),
    "kdb-1-sum_cmi-uniform": (
        KDBClassifier,
        {"k": 1, "order": "sum_cmi", "discretizer": "uniform", "grace_period": 20},
    ),
    "kdb-3-mrmr-m_estimate": (
        KDBClassifier,
        {"k": 3, "order": "mrmr", "smoothing": "m-estimate", "relearn_period": 50},
    ),
    "kdb-2-skip-mdl": (KDBClassifier, {"missing": "skip", "discretizer": "mdl"}),
    "kdb-3-tiny": (KDBClassifier, {"k": 3, **TINY}),
    "kdb-nominal": (
        KDBClassifier,
        {"nominal_attributes": ["empty_server_form_handler", "region-centroid-col"]},
    ),
    "tan": (TANClassifier, {}),
    "tan-uniform-m_estimate": (TANClassifier, {"average": "uniform", "smoothing": "m-estimate"}),
    "tan-mi-skip-tiny": (TANClassifier, {"average": "mi", "missing": "skip", **TINY}),
    "aode": (AODEClassifier, {}),
    "aode-mi-sr-mdl": (
        AODEClassifier,
        {"weights": "mi", "subsumption": True, "discretizer": "mdl"},
    ),
    "aode-m_estimate-skip-tiny": (
        AODEClassifier,
        {"smoothing": "m-estimate", "missing": "skip", **TINY},
    ),
    "kdf": (KDFClassifier, {}),
    "kdf-1-mdl-m_estimate": (
        KDFClassifier,
        {"k": 1, "discretizer": "mdl", "smoothing": "m-estimate", "grace_period": 20},
    ),
    "kdf-3-skip-tiny": (KDFClassifier, {"k": 3, "missing": "skip", **TINY}),
    "mmkdb": (SelectiveKDBClassifier, {}),
    "skdb-mdl-m_estimate": (
        SelectiveKDBClassifier,
        {"order": "mi", "select": "features", "discretizer": "mdl", "smoothing": "m-estimate"},
    ),
    "mskdb-2-skip-tiny": (
        SelectiveKDBClassifier,
        {"k": 2, "order": "mi", "missing": "skip", **TINY},
    ),
    "ukdb": (UKDBClassifier, {}),
    "tl-mdl-m_estimate": (
        UKDBClassifier,
        {"universal": False, "discretizer": "mdl", "smoothing": "m-estimate"},
    ),
    "ukdb-3-skip-tiny": (
        UKDBClassifier,
        {"k": 3, "candidates": 3, "criterion": "sum", "missing": "skip", **TINY},
    ),
    "tan-e": (UKDBClassifier, {"tree": True, "grace_period": 20}),
    "csb": (CSBClassifier, {}),
    "csb-3-m_estimate": (CSBClassifier, {"k": 3, "confident": 1.0, "smoothing": "m-estimate"}),
    "csb-local-skip-tiny": (CSBClassifier, {"parts": "L", "missing": "skip", **TINY}),
    "bkdb": (BKDBClassifier, {"redundancy": 0.95}),
    "bkdb-1-local-skip": (BKDBClassifier, {"k": 1, "parts": "L", "missing": "skip"}),
    "bkdb-literal-tiny": (BKDBClassifier, {"literal": True, **TINY}),
    "kdb-fades-drifts": (KDBClassifier, {"half_life": 40, "drift_detector": drift.ADWIN()}),
    "aode-window-tiny": (AODEClassifier, {"forget": "window", **TINY}),
    "tan-drifts": (TANClassifier, {"drift_detector": drift.PageHinkley(threshold=2)}),
    "ukdb-forgets-all-ways": (
        UKDBClassifier,
        {
            "half_life": 15.5,
            "forget": "window",
            "drift_detector": drift.binary.DDM(),
            "warning_detector": drift.ADWIN(delta=0.1),
            **TINY,
        },
    ),
    "mixture": (BNMixtureClassifier, {}),
    "mixture-skip": (
        BNMixtureClassifier,
        {
            "experts": [("kdb", 2, 4, 50), ("kdb", 0, 9, None), ("linear",)],
            "label_lags": 0,
            "missing": "skip",
            "drift_detector": drift.NoDrift(),
        },
    ),
    "mixture-tiny": (
        BNMixtureClassifier,
        {
            "experts": [("kdb", 1, 3, 15.5), ("tan", 1, 3, None), ("lag", 1)],
            "pool_rates": [(1.0, 0.9)],
            "pool_steps": [],
            "drift_detector": drift.ADWIN(),
            **{name: value for name, value in TINY.items() if name != "n_bins"},
        },
    ),
    "mixture-nominal": (
        BNMixtureClassifier,
        {
            "experts": [("tan", 1, 5, 100), ("linear", 0, 1, 60)],
            "nominal_attributes": ["empty_server_form_handler", "region-centroid-col"],
            "drift_detector": drift.binary.DDM(),
            "warning_detector": drift.ADWIN(delta=0.1),
        },
    ),
}


def fresh(case: str) -> Any:
    klass, params = CASES[case]
    return klass(**params)


def checks() -> list:
    """One parameter a check; a check that runs on several streams counts through them."""
    found = []
    for case in CASES:
        seen: dict[str, int] = {}
        for position, check in enumerate(yield_checks(fresh(case))):
            name = check.__name__
            seen[name] = seen.get(name, 0) + 1
            found.append(pytest.param(case, position, id=f"{case}-{name}-{seen[name]}"))
    return found


@pytest.mark.filterwarnings("ignore:.*max_size.*")
@pytest.mark.parametrize(("case", "position"), checks())
def test_river_check(case, position):
    # The checks carry streams that can be read once only: ask for new ones every time.
    model = fresh(case)
    check = next(itertools.islice(yield_checks(model), position, None))
    check(model)


@pytest.mark.parametrize("case", CASES)
def test_no_check_is_skipped(case):
    assert not set(fresh(case)._unit_test_skips())


@pytest.mark.parametrize("klass", dict.fromkeys(klass for klass, _ in CASES.values()))
def test_several_sets_of_parameters_each(klass):
    assert sum(case[0] is klass for case in CASES.values()) >= 3


@pytest.mark.parametrize("case", CASES)
def test_these_are_multiclass_mini_batch_classifiers(case):
    from river import base

    model = fresh(case)
    assert isinstance(model, base.MiniBatchClassifier)
    assert model._multiclass
