"""Family full_size_metadata."""
