"""`python -m spindlemark` is the command line."""

from spindlemark.cli import main

main()
