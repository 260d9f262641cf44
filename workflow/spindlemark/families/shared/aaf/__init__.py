"""AAF files: the graph of objects that source 000 measured, and whatever reads and writes it."""
