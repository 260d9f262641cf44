"""Coding: pictures through video codecs and back, each by one command that is timed, and what is left of them.

`codecs.py` says which codecs and settings there are, `ffmpeg.py` and `vmx.py` run them, `kept.py` compares raw with raw.
"""
