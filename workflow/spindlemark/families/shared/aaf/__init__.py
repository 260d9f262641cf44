"""AAF files: the graph of objects that study 000 measured, and whatever reads and writes it."""
