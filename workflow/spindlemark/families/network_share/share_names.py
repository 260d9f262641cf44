"""Names that servers and clients agree on."""

SHARE = "share"  # what is shared, by every protocol
DATA = "data"  # the one file in it
PIECES = "pieces"  # where WebDAV's requests to write go, each to a file of its own
PORT = 4450  # above those that need rights
CARD = "card"  # folder into which a camera card is copied
PICTURES = "pictures"  # folder of pictures that is opened
RECORDING = "recording"  # file that is written while another one is played
