"""Family concurrent_streams."""
