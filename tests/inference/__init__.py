"""Tests of river_kdb.inference."""
