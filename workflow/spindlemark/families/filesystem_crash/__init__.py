"""The family `filesystem_crash`; see family.py."""
