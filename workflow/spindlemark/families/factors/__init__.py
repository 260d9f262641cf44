"""Factors that families share, one module each."""
