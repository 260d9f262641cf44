"""Names that servers and clients agree on."""

SHARE = "share"  # what is shared, by every protocol
DATA = "data"  # the one file in it
PIECES = "pieces"  # where WebDAV's requests to write go, each to a file of its own
PORT = 4450  # above those that need rights
