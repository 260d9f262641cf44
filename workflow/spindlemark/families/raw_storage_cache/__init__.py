"""Family raw_storage_cache."""
