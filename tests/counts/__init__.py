"""Tests of river_kdb.counts."""
