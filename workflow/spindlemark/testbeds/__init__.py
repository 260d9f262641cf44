"""Testbeds: where repetitions are measured. Each kind is one module; see `kind.py`."""
