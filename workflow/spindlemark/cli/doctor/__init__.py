"""Doctor: what this machine can measure and publish, what is missing, and how to install it."""
