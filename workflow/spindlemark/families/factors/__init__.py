"""Factors that families share, one module each, and the steps of the volume that the factor `filesystem` describes."""
