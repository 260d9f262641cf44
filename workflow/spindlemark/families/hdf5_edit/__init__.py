"""Family hdf5_edit: editing HDF5 files under atomicity levels."""
