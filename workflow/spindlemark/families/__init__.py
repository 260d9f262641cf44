"""Benchmark families, one folder each. Measured programs live here, so this package must import nothing."""
