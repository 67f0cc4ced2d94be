"""Tests of river_kdb.structure."""
