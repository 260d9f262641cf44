"""The family `network_audio`; see family.py."""
