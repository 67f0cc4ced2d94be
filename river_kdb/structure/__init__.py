"""Learners of structures: counts in, a Structure out."""
