"""`python -m spindlemark.findings DATABASE --stability 0.2 --output FILE`: write the findings of one database."""

import gc

from spindlemark.errors import command
from spindlemark.findings import compute, computed

if __name__ == "__main__":
    gc.disable()  # nothing here is cyclic, and looking for what is takes a tenth of the time
    command(lambda: computed.main("spindlemark.findings", __doc__, compute))
