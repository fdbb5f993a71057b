"""What `pytest --cgsan` does."""
