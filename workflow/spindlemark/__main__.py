"""`python -m spindlemark` is the command line."""

from spindlemark.cli.main import main

main()
