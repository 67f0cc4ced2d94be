"""An abrupt drift, and what a drift detector makes of it: python examples/drift.py [FOLDER]."""

from __future__ import annotations

import sys
import tempfile
from itertools import chain
from pathlib import Path

from river import drift
from river.datasets import synth

from river_kdb import BNMixtureClassifier, KDBClassifier
from river_kdb.plot.structure import draw_structure

DRIFT, END, BLOCK = 3000, 6000, 500


def events():
    """Return a stream of loan applications: granted by age and education, later by income."""
    before = synth.Agrawal(classification_function=2, seed=1).take(DRIFT)
    after = synth.Agrawal(classification_function=7, seed=2).take(END - DRIFT)
    return chain(before, after)


def follow(model):
    """Predict and learn every event; return the hits, and the model's summary at each drift."""
    hits, drifts = [], []
    for event, (x, y) in enumerate(events(), start=1):
        hits.append(model.predict_one(x) == y)
        model.learn_one(x, y)
        if model.n_drifts_detected() > len(drifts):
            drifts.append((event, model.summary))
    return hits, drifts


def arcs_before(history, event):
    """Return the arcs that a model had before an event, from the changes of its structure."""
    arcs = {}
    for change in history:
        if change.event < event:
            for arc in change.removed:
                del arcs[arc]
            arcs.update(dict.fromkeys(change.added))
    return list(arcs)


def main() -> None:
    """Print what was detected and how well each model does, and draw the structures."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(prefix="drift-"))
    folder.mkdir(parents=True, exist_ok=True)
    detecting = KDBClassifier(k=2, drift_detector=drift.ADWIN())
    models = {
        "KDB(2)": KDBClassifier(k=2),
        "mixture": BNMixtureClassifier(),
        "KDB(2) with ADWIN": detecting,
    }

    print(f"The concept changes after event {DRIFT}. Accuracy in blocks of {BLOCK} events:")
    print(" " * 18, *(f"{end:6}" for end in range(BLOCK, END + 1, BLOCK)))
    for name, model in models.items():
        hits, drifts = follow(model)
        blocks = [sum(hits[start : start + BLOCK]) / BLOCK for start in range(0, END, BLOCK)]
        print(f"{name:18}", *(f"{accuracy:6.1%}" for accuracy in blocks))
        for event, _ in drifts:
            print(f"{'':18} detected a drift after event {event}")

    _, summary = drifts[0]
    print(f"KDB(2) with ADWIN goes on from the latest {sum(summary.classes.values()):.0f} events.")

    first = next(change for change in detecting.structure_history if change.reason == "drift")
    before = arcs_before(detecting.structure_history, first.event)
    after = detecting.structure_edges()
    for what, arcs, others in (("gone", before, after), ("new", after, before)):
        print(f"Arcs {what}:", *(f"{p}->{c}" for p, c in arcs if (p, c) not in others))
    for when, arcs in (("before", before), ("after", after)):
        path = folder / f"structure-{when}.png"
        title = f"KDB(2) {when} the drift"
        draw_structure(arcs, detecting.feature_names, title=title).savefig(path)
        print(f"Wrote {path}")


if __name__ == "__main__":
    main()
