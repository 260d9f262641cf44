"""Pages of the published studies: their tables, the audit of their claims, what our statistics make of them."""
