"""A mixture of networks that remember for different times and see numbers in different bins."""
