"""Streams: how many readers at a fixed rate a filesystem serves, with concurrent recording writers.

`search` finds the number, `stream_trial` tries one number with fio, `deadline_misses` finds late streams in fio's own logs, `stream_rate`
has the data rates, `recorder` writes the recordings that are read.
"""
