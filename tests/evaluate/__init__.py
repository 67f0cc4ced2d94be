"""Tests of river_kdb.evaluate."""
