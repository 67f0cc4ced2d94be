"""Tests of river_kdb."""
