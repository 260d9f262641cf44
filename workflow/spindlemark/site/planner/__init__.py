"""The data of the planner page."""
