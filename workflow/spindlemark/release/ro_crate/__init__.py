"""A whole release as one RO-Crate file."""
