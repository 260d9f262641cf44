"""Online: the built site is put where it is served. Nothing there is removed, and no release is replaced."""
