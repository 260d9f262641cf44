"""Charts of the benchmark families, one module per family."""
