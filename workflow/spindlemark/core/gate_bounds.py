"""Bounds of gates that are the same for each family."""

CLOCK_DRIFT = 0.001  # share: two clocks of one machine that drift apart by more cannot both be right
FULLEST = 0.95  # share of a filesystem's blocks that may be in use
