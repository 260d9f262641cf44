"""Spindlemark: measures how media should be stored and served, and publishes the answer."""
