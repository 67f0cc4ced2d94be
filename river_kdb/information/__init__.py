"""Mutual information of features and class: on average, within a class, and for one event.

All measures are in nats. They are sums over the cells of a table, each with the table's own
total, so a table that leaves some events out (missing values that are skipped) is measured on
the events that it has.
"""

from river_kdb.information.average import (
    class_information,
    class_information_matrix,
    conditional_information,
    conditional_information_matrix,
    pair_block,
    pair_information,
    pair_information_matrix,
)

__all__ = [
    "class_information",
    "class_information_matrix",
    "conditional_information",
    "conditional_information_matrix",
    "pair_block",
    "pair_information",
    "pair_information_matrix",
]
