"""Family storage_profile."""
