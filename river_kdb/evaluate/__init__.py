"""Progressive evaluation of classifiers on streams; what ``river-kdb evaluate`` runs on."""

from __future__ import annotations

from river_kdb.evaluate.calibration import Calibration
from river_kdb.evaluate.curves import draw_curves
from river_kdb.evaluate.detectors import make_detector
from river_kdb.evaluate.errors import EvaluationError
from river_kdb.evaluate.memory import memory_usage
from river_kdb.evaluate.metrics import LogLoss, make_metrics
from river_kdb.evaluate.origin import Origin
from river_kdb.evaluate.registry import ModelSpec, make_models
from river_kdb.evaluate.report import prepare_folder, write_report, write_results
from river_kdb.evaluate.result import Curve, ModelResult
from river_kdb.evaluate.runner import Evaluation, Listener
from river_kdb.evaluate.streams import Stream, open_stream

__all__ = [
    "Calibration",
    "Curve",
    "Evaluation",
    "EvaluationError",
    "Listener",
    "LogLoss",
    "ModelResult",
    "ModelSpec",
    "Origin",
    "Stream",
    "draw_curves",
    "make_detector",
    "make_metrics",
    "make_models",
    "memory_usage",
    "open_stream",
    "prepare_folder",
    "write_report",
    "write_results",
]
