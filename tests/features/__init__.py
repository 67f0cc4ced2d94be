"""Tests of river_kdb.features."""
