"""What an event costs, and how that grows."""
