"""Tests of river_kdb.cli."""
