"""Streams: how many readers at a fixed rate a filesystem serves, with recording writers beside them.

`search` finds the number, `probe` tries one number with fio, `lag` says from fio's own logs who fell behind, `rate`
knows the data rates, `recorder` writes the recordings that are read.
"""
