"""Citation: one declaration, written in each format in which data sets are cited."""
