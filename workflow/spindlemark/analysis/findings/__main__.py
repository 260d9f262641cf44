"""`python -m spindlemark.analysis.findings DATABASE --stability 0.2 --output FILE`: write the findings of one database."""

import gc

from spindlemark.analysis.findings import command_line, compute
from spindlemark.core.errors import command

if __name__ == "__main__":
    gc.disable()  # nothing here is cyclic, and looking for what is takes a tenth of the time
    command(lambda: command_line.main("spindlemark.analysis.findings", __doc__, compute))
