"""The classifiers, one class a file."""
