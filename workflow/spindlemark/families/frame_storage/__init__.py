"""Image sequences: a camera's frames, drawn by seed, and ways of storing them as loose files or in one HDF5 file."""
