"""Family file_creation."""
