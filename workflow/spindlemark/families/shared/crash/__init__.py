"""Power cuts of a recorded disk: what was written, and giving a device what the disk had."""
