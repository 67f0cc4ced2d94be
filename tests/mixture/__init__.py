"""Tests of river_kdb.mixture."""
