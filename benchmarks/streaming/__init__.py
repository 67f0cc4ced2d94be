"""What `benchmarks/streams.py` is made of."""
