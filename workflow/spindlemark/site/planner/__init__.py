"""Data of the planner page."""
