"""Measuring on other hosts: visits and the import of their results."""
