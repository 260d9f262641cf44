"""Core: errors, paths, limits, records and their formats, atomic writes, safe reads, and starting programs."""
