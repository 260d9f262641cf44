"""HTTP streams: the number of clients that a web server serves from a disk without a stall.

`library` writes what is watched, `servers` knows how each server is configured and read, `client` is the program that
watches with `playout`, the model of a viewer's buffer; `trial` tries one number of viewers, `search` of `streams` looks
for the largest.
"""
