"""Programs that run at both ends of a link and begin together: their common start, clocks, and the rights that they give up."""
