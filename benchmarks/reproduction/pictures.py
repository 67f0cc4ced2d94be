"""Pictures of the results."""

from __future__ import annotations

from pathlib import Path

import pandas as pd


def critical_difference_diagram(losses: pd.DataFrame, title: str, path: Path) -> None:
    """Draw the average ranks, algorithms joined that do not differ (Nemenyi, .05).

    Parameters
    ----------
    losses
        A row for each set, a column for each algorithm.
    title
        What to write above.
    path
        The PNG to write.
    """
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    import scikit_posthocs

    differing = scikit_posthocs.posthoc_nemenyi_friedman(losses)
    figure, axes = plt.subplots(figsize=(9, 1.5 + 0.22 * losses.shape[1]))
    scikit_posthocs.critical_difference_diagram(
        losses.rank(axis=1).mean(), differing, ax=axes, label_props={"size": 9}
    )
    axes.set_title(title, fontsize=10)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, bbox_inches="tight")
    plt.close(figure)
