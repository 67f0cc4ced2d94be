"""Pictures of structures (extra `plot`)."""
