"""What each paper says about its experiments, and what is done here."""

from __future__ import annotations

from typing import Any, NamedTuple

from benchmarks.reproduction.algorithms import Algorithm, Parameters

COMMON: Parameters = {"missing": "value", "max_categories": 1000, "max_size": 4096}
MDL: Parameters = {"discretizer": "mdl", "n_bins": 1}
FIVE_BINS: Parameters = {"discretizer": "quantile", "n_bins": 5}
PAPERS_SMOOTHING = "m-estimate"


class Protocol(NamedTuple):
    """An experiment of a paper.

    Attributes
    ----------
    name
        Short name of the paper.
    says
        What the paper states.
    does
        Where this benchmark departs from it.
    discretizer
        Parameters of the models.
    columns
        The algorithm of every column of the tables that the package has.
    measures
        Printed measures, and the field of a result they are held against.
    alternative
        Of the sign test: "two-sided", or "greater" for one-tailed.
    extras
        Algorithms that the paper speaks of and prints no column of.
    own
        Parameters that an algorithm has in this paper only.
    """

    name: str
    says: str
    does: str
    discretizer: Parameters
    columns: dict[str, str]
    measures: dict[str, str]
    alternative: str
    extras: tuple[str, ...] = ()
    own: dict[str, Parameters] = {}  # noqa: RUF012


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol(
            "kdf",
            "10-fold cross-validation, the same folds for all; MDL discretization; missing values "
            "replaced by mode or mean of the training data; W/D/L by a two-tailed binomial sign "
            "test at 95%; bias and variance of Kohavi and Wolpert, the draws not stated.",
            "Missing is a value of its own; the m-estimate is not stated in the paper.",
            MDL,
            {
                "NB": "nb",
                "TAN": "tan",
                "AODE": "aode",
                "KDB": "kdb",
                "ATAN": "atan",
                "KDB^S": "kdb-s",
                "KDF": "kdf",
            },
            {"zero_one_loss": "zero_one", "bias": "bias", "variance": "variance"},
            "two-sided",
            extras=("kdf-eq6", "kdb-s-least"),
        ),
        Protocol(
            "mmkdb",
            "10 rounds of 10-fold cross-validation; 5 bins of equal frequency; missing is a value "
            "of its own; m-estimate, m = 1; W/D/L by a one-tailed binomial sign test at .05; k is "
            "3 at most.",
            "One round. Every printed figure is a number of errors times a factor of its column "
            "(factors.csv), so differences are given with and without it.",
            FIVE_BINS,
            {
                "NB": "nb",
                "TAN": "tan",
                "AODE": "aode",
                "KDB": "kdb",
                "MKDB": "mkdb",
                "MSKDB": "mskdb",
                "MMKDB": "mmkdb",
            },
            {"zero_one_loss": "zero_one"},
            "greater",
            own={"kdb": {"k": 3}},
        ),
        Protocol(
            "bkdb",
            "MDL discretization; missing is a value of its own for qualitative attributes and the "
            "mean for quantitative ones; W/D/L by a one-tailed binomial sign test at .05; RMSE "
            "over the true class (eq. 14); folds and draws not stated.",
            "Missing is a value of its own throughout; m-estimate; stratified 10-fold "
            "cross-validation. The printed RMSE is the one over all classes, so that is compared.",
            MDL,
            {
                "NB": "nb",
                "TAN": "tan",
                "K2DB": "kdb",
                "AODE": "aode",
                "AODE-SR": "aode-sr",
                "WAODE-MI": "waode",
                "BKDB": "bkdb",
            },
            {
                "zero_one_loss": "zero_one",
                "rmse": "rmse_all",
                "mcc": "mcc",
                "bias": "bias",
                "variance": "variance",
            },
            "greater",
            extras=("bkdb-literal",),
        ),
        Protocol(
            "csb",
            "10 rounds of 10-fold cross-validation; MDL discretization; missing values replaced "
            "by mode or mean of the training data; corrected paired one-tailed t-test at .05.",
            "One round; missing is a value of its own; m-estimate; W/D/L by a one-tailed sign "
            "test. The printed RMSE is the one over all classes, so that is compared.",
            MDL,
            {"SKDB": "skdb", "WATAN": "watan", "CSB": "csb"},
            {"zero_one_loss": "zero_one", "rmse": "rmse_all"},
            "greater",
            extras=("kdb", "csb-g", "csb-l"),
        ),
        Protocol(
            "ukdb",
            "10 rounds of 10-fold cross-validation; MDL discretization; missing is a value of its "
            "own; RMSE over the true class; macro-averaged F1; the test behind W/D/L not stated.",
            "One round; m-estimate; W/D/L by a two-tailed sign test at .05.",
            MDL,
            {
                "NB": "nb",
                "TAN": "tan",
                "AODE": "aode",
                "WATAN": "watan",
                "TAN^e": "tan-e",
                "K1DB": "k1db",
                "K2DB": "kdb",
                "UK1DB": "uk1db",
                "UK2DB": "ukdb",
            },
            {"zero_one_loss": "zero_one", "rmse": "rmse", "f1": "macro_f1"},
            "two-sided",
            extras=("kdb-p", "tl", "ukdb-t", "ukdb-p"),
        ),
    )
}


class Options(NamedTuple):
    """What a run changes about a protocol; round number r has the seed `seed + r`."""

    smoothing: Any = PAPERS_SMOOTHING
    overrides: tuple[tuple[str, Any], ...] = ()
    folds: int = 10
    seed: int = 1
    max_rows: int | None = None
    bias_variance: bool = False
    draws: int = 20
    rounds: int = 1

    def of_rounds(self) -> list[Options]:
        """Return the options of each round."""
        return [self._replace(seed=self.seed + r, rounds=1) for r in range(self.rounds)]


def model_parameters(protocol: Protocol, algorithm: Algorithm, options: Options) -> Parameters:
    """Return the parameters of an algorithm under a protocol."""
    parameters = {
        **COMMON,
        **protocol.discretizer,
        "smoothing": options.smoothing,
        **algorithm.parameters,
        **protocol.own.get(algorithm.name, {}),
    }
    changes = {name: value for name, value in options.overrides if algorithm.takes(name)}
    return parameters | changes


def settings_text(parameters: Parameters, options: Options) -> str:
    """Return what a result depends on beside set and algorithm, as a text to compare.

    Examples
    --------
    >>> settings_text({"k": 2, "smoothing": "m-estimate"}, Options())
    'folds=10;seed=1;k=2;smoothing=m-estimate'
    """
    way: Parameters = {"folds": options.folds}
    if options.bias_variance:
        way = {"draws": options.draws}
    way["seed"] = options.seed
    if options.max_rows:
        way["max_rows"] = options.max_rows
    return ";".join(
        f"{name}={value}" for name, value in [*way.items(), *sorted(parameters.items())]
    )
