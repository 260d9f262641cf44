"""Online: the built site is put where it is served. Nothing there is taken away, and no release is replaced."""
