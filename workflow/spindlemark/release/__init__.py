"""Releases: immutable, checksummed, citable versions of the results."""
