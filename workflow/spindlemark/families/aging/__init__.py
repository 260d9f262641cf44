"""Family aging."""
