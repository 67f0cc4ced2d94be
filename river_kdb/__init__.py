"""Bayesian network classifiers for streams, as River estimators."""

from __future__ import annotations

from river_kdb.models.aode import AODEClassifier
from river_kdb.models.kdb import KDBClassifier
from river_kdb.models.tan import TANClassifier

__all__ = ["AODEClassifier", "KDBClassifier", "TANClassifier", "__version__"]

__version__ = "0.1.0"
