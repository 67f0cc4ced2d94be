"""From counts and a structure to the posterior of the classes."""
