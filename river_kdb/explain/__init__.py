"""What a model says about itself."""
