"""Progressive validation beside River's own classifiers: python examples/progressive.py."""

from __future__ import annotations

from river import datasets, evaluate, metrics, naive_bayes, tree

from river_kdb import AODEClassifier, KDBClassifier, TANClassifier


def main() -> None:
    """Print how accuracy and log loss come along on River's Phishing stream."""
    models = {
        "KDB(2)": KDBClassifier(),
        "TAN": TANClassifier(),
        "AODE": AODEClassifier(),
        "GaussianNB": naive_bayes.GaussianNB(),
        "HoeffdingTree": tree.HoeffdingTreeClassifier(),
    }
    for name, model in models.items():
        metric = metrics.Accuracy() + metrics.LogLoss()
        print(name)
        evaluate.progressive_val_score(datasets.Phishing(), model, metric, print_every=500)


if __name__ == "__main__":
    main()
