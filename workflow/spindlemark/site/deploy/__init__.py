"""Deployment of the built site to where it is served. Nothing there is removed, and no release is replaced."""
