"""A release as one RO-Crate file."""
