"""The family `integrity`; see family.py."""
