"""The family `fixity`; see family.py."""
