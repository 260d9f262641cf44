"""Where the fuzzers look, and how long.

SPINDLEMARK_FUZZ_SEED and SPINDLEMARK_FUZZ_TIMES (as 10: ten times as many cases) look elsewhere and longer.
"""

import os

SEED = os.environ.get("SPINDLEMARK_FUZZ_SEED", "20261121")
TIMES = int(os.environ.get("SPINDLEMARK_FUZZ_TIMES", "1"))
