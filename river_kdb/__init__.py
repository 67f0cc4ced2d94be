"""Bayesian network classifiers for streams, as River estimators."""

from __future__ import annotations

from river_kdb.mixture.experts import Expert
from river_kdb.models.aode import AODEClassifier
from river_kdb.models.bkdb import BKDBClassifier
from river_kdb.models.csb import CSBClassifier
from river_kdb.models.kdb import KDBClassifier
from river_kdb.models.kdf import KDFClassifier
from river_kdb.models.mixture import BNMixtureClassifier
from river_kdb.models.selective import SelectiveKDBClassifier
from river_kdb.models.tan import TANClassifier
from river_kdb.models.ukdb import UKDBClassifier
from river_kdb.persist import Checkpoint, from_bytes, load

__all__ = [
    "AODEClassifier",
    "BKDBClassifier",
    "BNMixtureClassifier",
    "CSBClassifier",
    "Checkpoint",
    "Expert",
    "KDBClassifier",
    "KDFClassifier",
    "SelectiveKDBClassifier",
    "TANClassifier",
    "UKDBClassifier",
    "__version__",
    "from_bytes",
    "load",
]

__version__ = "0.1.0"
