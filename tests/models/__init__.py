"""Tests of river_kdb.models."""
