"""Joining other people's machines: bundles of results, what is asked of them before they are used, what they say."""
