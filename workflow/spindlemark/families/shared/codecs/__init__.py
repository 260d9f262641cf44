"""Codecs: pictures through video codecs and back, each by one timed command, and their fidelity.

`codecs.py` says which codecs and settings there are, `ffmpeg.py` and `vmx.py` run them, `fidelity.py` compares raw with raw.
"""
