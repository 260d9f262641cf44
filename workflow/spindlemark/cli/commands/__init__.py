"""Commands of the command line; `main.py` gives them their names."""
