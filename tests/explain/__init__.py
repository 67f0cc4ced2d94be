"""Tests of river_kdb.explain."""
