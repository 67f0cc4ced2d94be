"""What `benchmarks/papers.py` is made of."""
