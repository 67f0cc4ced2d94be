"""Learn from events as they come, with whatever they hold: python examples/quickstart.py."""

from __future__ import annotations

from river_kdb import KDBClassifier

EVENTS = [
    ({"weather": "sun", "wind": 2.5, "weekend": True}, "beach"),
    ({"weather": "sun", "wind": 8.0, "weekend": True}, "sail"),
    ({"weather": "rain", "wind": 7.5, "weekend": True}, "museum"),
    ({"weather": "rain", "wind": None, "weekend": False}, "museum"),
    ({"weather": "sun", "wind": 9.5, "weekend": False}, "sail"),
    ({"weather": "sun", "wind": 1.0}, "beach"),
    ({"weather": "snow", "wind": 3.0, "weekend": False, "holiday": "yes"}, "ski"),
] * 20


def main() -> None:
    """Learn, ask, and look inside."""
    model = KDBClassifier(k=1, grace_period=50)
    for x, y in EVENTS:
        model.learn_one(x, y)

    for x in (
        {"weather": "sun", "wind": 8.5, "weekend": True},
        {"weather": "hail", "wind": float("nan"), "weekend": True},
        {"holiday": "yes"},
    ):
        best = model.predict_one(x)
        print(f"{x} -> {best} ({model.predict_proba_one(x)[best]:.2f})")

    print()
    print(model.summary)
    print()
    print(model.debug_one({"weather": "sun", "wind": 8.5, "weekend": True}))


if __name__ == "__main__":
    main()
