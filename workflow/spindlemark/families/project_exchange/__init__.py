"""Projects of editing programs: timelines of known shapes, the formats that carry them, and what comes back out of these."""
