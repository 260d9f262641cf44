"""The family `recording_survival`; see family.py."""
