"""What an event costs as features, values, classes, parents and the window grow.

    python benchmarks/scale.py
    python benchmarks/scale.py --quick --only n,k --out results

KDB(k), target learning (TL) and UKDB, each with its counts in tables of pairs ("dense") and in
sets of the window ("bitset"). One size grows at a time.
"""

from __future__ import annotations

import argparse
import gc
import math
import os
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.scaling.cases import BASE, FACTORS, MODELS, QUICK, STORES, Case, Series, series
from benchmarks.scaling.measure import Cost, Limits, SkippedError, measure
from benchmarks.scaling.pictures import draw_all
from benchmarks.scaling.report import (
    Record,
    costs_text,
    exponents_text,
    write_costs,
    write_exponents,
)
from benchmarks.speed import setup

RESULTS = Path(__file__).parent / "results" / "scale"
WARM_UP = Case(n=4, slots=2, classes=3, k=2, window=200)
SETUP = ("python", "river_kdb", "river", "numpy", "numba", "system", "cpu", "cpus")

Measured = dict[tuple[str, str, Case], Cost | str]


def measured_once(row: Series, case: Case, limits: Limits, done: Measured) -> Cost | str:
    """Return the cost of a case, or why it was skipped; one that has been measured is not again."""
    key = row.model, row.store, case
    if key not in done:
        try:
            done[key] = measure(*key, limits)
        except SkippedError as error:
            done[key] = str(error)
    return done[key]


def run(row: Series, limits: Limits, done: Measured) -> Iterator[Record]:
    """Measure a series; once a case is skipped the larger ones are, too.

    Parameters
    ----------
    row
        The series.
    limits
        What a case may take.
    done
        What has been measured, by model, store and case; added to.
    """
    skipped = ""
    for case in row.cases:
        if skipped:
            yield Record(*row[:3], case, None, skipped)
            continue
        found = measured_once(row, case, limits, done)
        if isinstance(found, str):
            yield Record(*row[:3], case, None, found)
            skipped = f"as {row.factor}={getattr(case, row.factor)}"
        else:
            yield Record(*row[:3], case, found, "")


def warm_up() -> None:
    """Let the kernels be compiled, however long it takes."""
    limits = Limits(math.inf, math.inf)
    for model in MODELS:
        for store in STORES:
            measure(model, store, WARM_UP, limits)


def what_with() -> dict[str, Any]:
    """Return the versions and the machine, and how busy that is."""
    found = {result.measure: result.value for result in setup()}
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else ""
    return {name: found[name] for name in SETUP} | {"load": load}


def parse(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    limits = Limits()
    add = parser.add_argument
    add("--only", default=",".join(FACTORS), help="what grows, with commas (%(default)s)")
    add("--quick", action="store_true", help="three sizes of each only, in a minute")
    add("--limit", type=float, default=limits.event_ms, help="ms of a call (%(default)g)")
    add("--seconds", type=float, default=limits.seconds, help="of a case (%(default)g)")
    add("--memory", type=float, default=limits.memory, help="max_size, in MiB (%(default)g)")
    add("--out", type=Path, default=RESULTS, help="folder of CSVs and pictures (%(default)s)")
    options = parser.parse_args(arguments)
    options.only = options.only.split(",")
    if unknown := set(options.only) - set(FACTORS):
        parser.error(f"--only knows {', '.join(FACTORS)}, not {', '.join(sorted(unknown))}")
    if min(options.limit, options.seconds, options.memory) <= 0:
        parser.error("limits have to be above 0")
    return options


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print the tables, and write them with pictures."""
    options = parse(arguments)
    began, limits = time.perf_counter(), Limits(options.limit, options.seconds, options.memory)
    found = what_with()
    for name, value in found.items():
        print(f"{name}: {value}")
    # What models leave out for want of memory is in the table
    warnings.filterwarnings("ignore", "max_size=", UserWarning)
    gc.freeze()
    warm_up()
    sizes = QUICK if options.quick else FACTORS
    records: list[Record] = []
    done: Measured = {}
    for factor in options.only:
        part = [
            record
            for row in series({factor: sizes[factor]}, BASE)
            for record in run(row, limits, done)
        ]
        others = (f"{name} {size:,}" for name, size in BASE._asdict().items() if name != factor)
        print(f"\n{factor} grows ({', '.join(others)})")
        print(costs_text(part), flush=True)
        records += part
    gc.unfreeze()
    print("\nGrowth exponents over the upper half of the sizes")
    print(exponents_text(records))
    write_costs(records, found, options.out / "scale.csv")
    write_exponents(records, options.out / "exponents.csv")
    pictures = draw_all(records, options.out)
    took = time.perf_counter() - began
    print(f"\n{2 + len(pictures)} files written to {options.out} after {took:.0f} s")


if __name__ == "__main__":
    main()
