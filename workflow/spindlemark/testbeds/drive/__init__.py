"""A model of a hard disk: where its sectors are, how long its mechanism takes, and what its cache holds.

It uses only Python's library, so that the program that provides the modelled disk starts quickly. Times are seconds of
one clock that the caller chooses, so a test or a simulation can use its own. docs/methods/disk-model.md describes it.
"""
