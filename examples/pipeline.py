"""The classifiers as the last step of River's pipelines: python examples/pipeline.py."""

from __future__ import annotations

from river import compose, datasets, ensemble, evaluate, metrics, preprocessing

from river_kdb import KDBClassifier, TANClassifier


def pipelines() -> dict[str, object]:
    """Return a few ways to use a classifier in a pipeline, by what they show."""
    colours = compose.Select("intensity-mean", "hue-mean", "saturation-mean")
    shapes = compose.Select("vedge-mean", "hedge-mean") | preprocessing.StandardScaler()
    return {
        "alone": KDBClassifier(),
        "a few features": compose.Select("hue-mean", "region-centroid-row") | KDBClassifier(),
        "scaled": preprocessing.StandardScaler() | TANClassifier(),
        "a union of two": (colours + shapes) | KDBClassifier(k=1),
        "bagged": ensemble.BaggingClassifier(KDBClassifier(k=1), n_models=3, seed=1),
    }


def main() -> None:
    """Print the progressive accuracy of each pipeline."""
    for name, model in pipelines().items():
        dataset = datasets.ImageSegments().take(1000)
        print(name, evaluate.progressive_val_score(dataset, model, metrics.Accuracy()))


if __name__ == "__main__":
    main()
