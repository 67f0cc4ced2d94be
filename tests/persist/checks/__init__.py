"""Tests of river_kdb.persist.checks."""
