"""Citation: one declaration, in each common format for citing data sets."""
