"""What `zpool status -p` says of errors."""

import pytest

from spindlemark.families.integrity import zfs_pool

STATUS = """\
  pool: spindlemark
 state: {state}
  scan: scrub repaired 0B in 00:00:03 with 0 errors on Sun Nov 29 15:31:11 2026
config:

\tNAME           STATE     READ WRITE CKSUM
\tspindlemark    ONLINE       0     0     0
\t  mirror-0     ONLINE       0     0     0
\t    loop0      ONLINE       {read}     0     {checksum}
\t    loop1      ONLINE       0     0     0

errors: {errors}
"""
NONE = "No known data errors"


@pytest.mark.parametrize(
    ("read", "checksum", "errors", "found"),
    [
        (0, 0, NONE, []),
        (0, 12, NONE, ["checksum"]),
        (3, 0, NONE, ["read"]),
        (0, 2, "2 data errors, use '-v' for a list", ["checksum", "data"]),
    ],
)
def test_errors_are_counted_whether_corrected_or_not(read, checksum, errors, found):
    text = STATUS.format(state="ONLINE", read=read, checksum=checksum, errors=errors)
    assert zfs_pool.errors_in(text) == found
