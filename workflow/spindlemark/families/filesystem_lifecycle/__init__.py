"""Family filesystem_lifecycle."""
